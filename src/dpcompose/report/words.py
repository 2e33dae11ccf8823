"""Numbers, promises and theorems in words: six digits, upper ends rounded up and lower ends down."""

from __future__ import annotations

import math
import textwrap
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import singledispatch

from dpcompose.description import Mechanism
from dpcompose.kernel import SameAs, Side, Source, Theorem
from dpcompose.notions import GDP, ZCDP, ApproxDP, Guarantee, Profile, Renyi, Value
from dpcompose.numerics.enclosure import Enclosure, Real, rounded
from dpcompose.spec import brief
from dpcompose.spec.short import number as brief_number

WIDTH = 80
MOST_SUBJECT = 240


def up(value: Real) -> str:
    """An upper end, as printed: rounded up."""
    return rounded(value, ROUND_CEILING)


def down(value: Real) -> str:
    """A lower end, as printed: rounded down."""
    return rounded(value, ROUND_FLOOR)


def closely(enclosure: Enclosure) -> str:
    """An enclosure with enough digits to compare it with a limit that it just meets or misses."""
    return enclosure.to_digits(12)


def number(value: Real) -> str:
    """A number from the question: a float as Python prints it, any other number exactly."""
    return shortened(brief_number(value))


def amount(value: Value, side: Side = Side.UPPER) -> str:
    """A parameter of a promise, rounded to the side on which the promise holds."""
    upper = Side.UPPER in side
    if isinstance(value, Enclosure):
        value = value.most if upper else value.least
    return up(value) if upper else down(value)


def relative(value: float, best: float) -> str:
    """How many times the best value this value is; 1 where both print alike, and empty where that has no meaning."""
    if up(value) == up(best):
        return "1"
    if not best or math.isinf(best):
        return ""
    return "inf" if math.isinf(value) else rounded(Fraction(value) / Fraction(best), ROUND_CEILING, 4)


@singledispatch
def promise(guarantee: Guarantee, side: Side) -> str:  # noqa: ARG001 - those that follow use it
    """A promise in a few words."""
    return guarantee.called


@promise.register
def _(guarantee: ApproxDP, side: Side) -> str:
    return f"({amount(guarantee.epsilon, side)}, {amount(guarantee.delta, side)})-DP"


@promise.register
def _(guarantee: ZCDP, side: Side) -> str:
    outside = f" outside probability {amount(guarantee.delta, side)}" if guarantee.delta != 0 else ""
    return f"{amount(guarantee.rho, side)}-zCDP{outside}"


@promise.register
def _(guarantee: GDP, side: Side) -> str:
    return f"μ-GDP with μ² = {amount(guarantee.mu_squared, side)}"


@promise.register
def _(guarantee: Renyi, side: Side) -> str:
    outside = f" outside probability {amount(guarantee.delta, side)}" if guarantee.delta != 0 else ""
    return f"a bound on its Rényi divergence of every order{outside}"


@promise.register
def _(guarantee: Profile, side: Side) -> str:  # noqa: ARG001
    ends = {Side.UPPER: "an upper bound on", Side.LOWER: "a lower bound on"}.get(side, "exactly")
    return f"{ends} δ at every ε"


@promise.register
def _(guarantee: SameAs, side: Side) -> str:  # noqa: ARG001
    return f"costs what {subject(guarantee.mechanism)} costs"


def subject(mechanism: Mechanism) -> str:
    """A mechanism with short numbers; a very long expression is cut."""
    return shortened(brief(mechanism))


def shortened(text: str) -> str:
    """The text, cut if it is long."""
    return text if len(text) <= MOST_SUBJECT else f"{text[: MOST_SUBJECT - 1]}…"


def title(theorem: Theorem) -> str:
    """The statement of a theorem, as short as a name."""
    return theorem.proof.__name__.replace("_", " ")


def conditions(theorem: Theorem) -> str:
    """The conditions under which a theorem applies."""
    how = {
        0: "parameters and queries fixed in advance",
        1: "parameters fixed in advance, queries adaptive",
        2: "parameters, queries and stopping time adaptive",
    }[theorem.adaptivity]
    relations = " and ".join(sorted(relation.value for relation in theorem.relations))
    bounds = {Side.UPPER: "from above", Side.LOWER: "from below"}.get(theorem.side, "from both sides")
    return f"Bounds {bounds}; {how}; {relations}."


def reference(source: Source) -> str:
    """A source as a line of a bibliography."""
    authors = source.authors.replace(" and ", ", ")
    return f"{source.key}: {authors}. {source.title}. {source.venue}, {source.year}."


def wrapped(text: str, indent: str = "", hanging: str | None = None) -> str:
    """Lines of at most 80 columns, each paragraph on its own."""
    rest = indent if hanging is None else hanging
    paragraphs = []
    for i, line in enumerate(text.split("\n")):
        inside = " " * (len(line) - len(line.lstrip()))
        first, later = (indent if i == 0 else rest) + inside, rest + inside
        paragraphs.append(
            textwrap.fill(line.strip(), WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
        )
    return "\n".join(paragraphs)

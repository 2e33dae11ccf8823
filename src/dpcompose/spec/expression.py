"""Expressions such as `30 * BlackBox(epsilon=0.1, delta=0.001) + Gaussian(noise_std=2)`.

```
sum      = product { "+" product }
product  = factor { "*" factor }                   exactly one factor is a mechanism, the others are counts
factor   = number | run | "(" sum ")"
run      = name "(" [ argument { "," argument } ] ")"
argument = [ name "=" ] value
value    = sum | number | name | "[" values "]" | "{" number ":" number … "}" | "(" mechanism "," count ")"
number   = decimal | whole "/" whole | "?"           a question mark is a number that is not known yet
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dpcompose.errors import InvalidDocument
from dpcompose.spec.cures import ARABIC, TIMES, across, ended, inside
from dpcompose.spec.tree import Entries, Many, Node, Place, Run, Scalar, Spot, Terms, Times

TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>-?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+(?![A-Za-z0-9_.])|\?)"
    r"|(?P<name>(?:dpc\.|dpcompose\.)?-?[^\W\d]\w*)"
    r"|(?P<sign>[-+*/=:,()\[\]{}])"
)
END = "the end"
AFTER = {
    **dict.fromkeys(("x", *TIMES), "times is written *"),
    "-": "nothing takes back what was spent",
    ",": "mechanisms one after the other are joined by +",
    ")": "this parenthesis was never opened",
    "/": "a fraction has whole numbers on both sides",
    **dict.fromkeys("[{", "parameters stand in parentheses, as in Gaussian(noise_std=2)"),
}
"""What is often found after a mechanism or a count, and how it is written here."""
BEFORE = {"=": "a parameter is given as name=value", "*": "a count stands before one *"}
"""What is often found where a mechanism or a value is expected."""
MOST_FACTORS = 100


class Token(NamedTuple):
    """A number, a name or a sign, with its position."""

    kind: str
    text: str
    position: int

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 40 else f"{self.text[:37]}..."
        return repr(shown) if self.kind != END else END


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, then end tokens for ever; a character that begins no token is refused."""
    position = 0
    while position < len(text):
        found = TOKEN.match(text, position)
        if not found:
            raise _alien(text, position)
        if found.lastgroup != "space":
            name = found[0].removeprefix("dpcompose.").removeprefix("dpc.")
            yield Token(str(found.lastgroup), name, position)
        position = found.end()
    while True:
        yield Token(END, "", position)


def _alien(text: str, position: int) -> InvalidDocument:
    """A refusal that points at the word with the unknown character, and suggests how it is written here."""
    start, cure = inside(text, position)
    shown = text[start:].split(maxsplit=1)[0][:20]
    return InvalidDocument(Spot(text, start).says(f"{shown!r} is no part of an expression{ended(cure)}."))


def parse(text: str) -> Node:
    """The tree of an expression. Arabic-Indic digits are accepted."""
    reader = _Reader(text.translate(ARABIC))
    node = reader.value()
    if reader.now.kind != END:
        raise reader.refused("'+', '*' or the end", reader.behind())
    return node


class _Reader:
    """A recursive-descent reader: a few calls for each bracket, and the depth of brackets was limited before."""

    def __init__(self, text: str) -> None:
        self.text, self.coming = text, tokens(text)
        self.now, self.next = next(self.coming), next(self.coming)

    @property
    def spot(self) -> Spot:
        return Spot(self.text, self.now.position)

    def refused(self, expected: str, cure: str = "") -> InvalidDocument:
        return InvalidDocument(self.spot.says(f"expected {expected}, found {self.now}{ended(cure)}."))

    def behind(self) -> str:
        """A suggestion for text that follows a complete expression."""
        cut = across(self.text, self.now.position)
        if cut or self.now.kind != "name" or self.now.text in AFTER:
            return cut or AFTER.get(self.now.text, "")
        if self.next.text == "=":
            return f"parameters stand in parentheses, as in Gaussian({self.now.text}=…)"
        return "mechanisms one after the other are joined by +, and a count stands before *"

    def take(self) -> Token:
        taken, self.now, self.next = self.now, self.next, next(self.coming)
        return taken

    def skip(self, sign: str) -> bool:
        """Skip a sign if it comes next; returns whether it did."""
        if self.now.text != sign or self.now.kind != "sign":
            return False
        self.take()
        return True

    def need(self, sign: str, expected: str = "") -> None:
        if not self.skip(sign):
            raise self.refused(expected or repr(sign))

    def value(self) -> Node:
        """A sum of products, or a single value of any kind."""
        place, terms = self.spot, []
        while True:
            factors = [self.factor()]
            while self.skip("*"):
                factors.append(self.factor())
                if len(factors) > MOST_FACTORS:
                    raise self.refused(f"at most {MOST_FACTORS} factors")
            terms.append(_product(factors))
            if not self.skip("+"):
                break
        return terms[0] if len(terms) == 1 else Terms(tuple(terms), place)

    def factor(self) -> Node:
        """One value without `+` and `*`."""
        if self.now.kind == "number":
            return self.number()
        if self.now.kind == "name":
            spot, name = self.spot, self.take()
            return self.run(name.text, spot) if self.skip("(") else Scalar(name.text, spot)
        spot = self.spot
        if self.skip("("):
            return self.bracket(spot)
        if self.skip("["):
            return Many(tuple(self.until("]")), spot)
        if self.skip("{"):
            return Entries(tuple(self.entries()), spot)
        cure = across(self.text, self.now.position) or BEFORE.get(self.now.text, "")
        raise self.refused("a mechanism such as Gaussian(noise_std=2), or a value", cure)

    def number(self) -> Scalar:
        """A decimal, or a fraction of whole numbers."""
        spot, top = self.spot, self.take()
        if not self.skip("/"):
            return Scalar(top.text, spot)
        if self.now.kind != "number":
            raise self.refused("a whole number below the '/'")
        return Scalar(f"{top.text}/{self.take().text}", spot)

    def bracket(self, spot: Spot) -> Node:
        """The content of parentheses: a value, or a mechanism and its count."""
        inner = self.value()
        if not self.skip(","):
            if not self.skip(")"):
                raise self.refused("')'", f"the parenthesis at {spot} is not closed" if self.now.kind == END else "")
            return inner
        if self.now.kind != "number":
            raise self.refused("how many times the mechanism runs")
        count = self.number()
        self.skip(",")
        self.need(")")
        return Times(inner, (count,), spot, paired=True)

    def until(self, closing: str) -> Iterator[Node]:
        """Values separated by commas, up to the closing sign; a trailing comma is allowed."""
        while not self.skip(closing):
            yield self.value()
            if not self.skip(","):
                self.need(closing, f"',' or {closing!r}")
                return

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Pairs written as `order: divergence`."""
        while not self.skip("}"):
            if self.now.kind != "number":
                raise self.refused("a number or '}'")
            key = self.number()
            self.need(":")
            yield key.text, self.value()
            if not self.skip(","):
                self.need("}", "',' or '}'")
                return

    def run(self, name: str, place: Spot) -> Run:
        """The arguments of a mechanism, after its opening parenthesis."""
        named: dict[str, Node] = {}
        names: dict[str, Place] = {}
        positional: list[Node] = []
        value: Node
        while not self.skip(")"):
            if self.now.kind == "name" and self.next.text == "=":
                if self.now.text in named:
                    raise InvalidDocument(self.spot.says(f"{name} is given {self.now.text} twice."))
                names[self.now.text] = self.spot
                key = self.take().text
                self.need("=")
                value = named[key] = self.value()
            elif named:
                raise self.refused("a parameter as name=value", across(self.text, self.now.position))
            else:
                value = self.value()
                positional.append(value)
            if not self.skip(","):
                if not self.skip(")"):
                    raise self.refused("',' or ')'", self.inside_of(name, place, value.text))
                break
        return Run(name, named, place, tuple(positional), names=names)

    def inside_of(self, name: str, place: Spot, before: str) -> str:
        """A suggestion for text that follows an argument."""
        if self.now.kind == END:
            return f"the parenthesis of {name} ({place}) is not closed"
        if self.now.kind == "name":
            dashed, word = self.now.text.startswith("-"), self.now.text.lstrip("-")
            return f"write {before}_{word}" if dashed else "parameters are separated by commas"
        if self.now.kind == "number" and before.isidentifier():
            return f"write {before}={self.now.text}"
        return {":": "a parameter is given as name=value", "-": "nothing is computed here"}.get(self.now.text, "")


def _product(factors: list[Node]) -> Node:
    """The one mechanism among the factors, times all the counts."""
    if len(factors) == 1:
        return factors[0]
    counts = tuple(f for f in factors if isinstance(f, Scalar))
    rest = [f for f in factors if not isinstance(f, Scalar)]
    if len(rest) != 1:
        sentence = "a product is one mechanism and whole numbers, such as 30 * Gaussian(noise_std=2)."
        raise InvalidDocument((rest or factors)[-1].place.says(sentence))
    return Times(rest[0], counts, factors[0].place)

"""Refusals in words: which account refuses, what it has left, who spent it, and what would still fit.

All of it is computed from caps, costs and declared parameters, so a refusal reveals nothing about the data.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import TYPE_CHECKING

from dpcompose import spec
from dpcompose.description import Composition, Mechanism
from dpcompose.errors import DPError
from dpcompose.ledger.epochs import Present
from dpcompose.ledger.errors import Refused
from dpcompose.ledger.protocol import Scope
from dpcompose.ledger.requests import Request
from dpcompose.ledger.rules import FilterRule, Rule, exact
from dpcompose.ledger.stores import statements
from dpcompose.mechanisms import BlackBox, Gaussian
from dpcompose.numerics.enclosure import rounded

if TYPE_CHECKING:
    from dpcompose.ledger.accounts import Account

LATEST = 100
"""How many of the latest charges a refusal attributes to somebody: this keeps it fast when the history is long."""


def check(present: Present, cost: Sequence[int]) -> int | None:
    """The place of the first coordinate that has too little left; None if all have enough."""
    return next((i for i, (left, more) in enumerate(zip(present.left, cost, strict=True)) if more > left), None)


def refused(account: Account, request: Request, scopes: Sequence[Scope], rows: Mapping[int, Present]) -> Refused:
    """The refusal by the first account that has too little; if somebody else spent meanwhile, by the account itself."""
    scope, place = next(((s, p) for s in scopes if (p := check(rows[s.account], s.cost)) is not None), (scopes[0], 0))
    present = rows[scope.account]
    rule = present.rule
    takes = rounded(scope.cost[place] * rule.units[place], ROUND_CEILING)
    left, cap = (rounded(n * rule.units[place], ROUND_FLOOR) for n in (present.left[place], rule.caps[place]))
    sentence = f"{scope.name!r} refuses: it takes {takes} of {rule.coordinates[place]}, and {left} of {cap} is left"
    fits = tuple(_fitting(account, rule, present.left))
    said = [sentence, _spenders(account, scope), _count(request, scopes, rows), _still(fits)]
    return Refused("; ".join(filter(None, said)) + ".", scope=scope.name, left=exact(rule, present.left), fits=fits)


def fitting(name: str, cost: Mapping[str, Fraction], left: Mapping[str, Fraction]) -> str:
    """The cost of a request that fits, beside what is left, in words."""
    taken = ", ".join(
        f"{rounded(c, ROUND_CEILING)} of the {rounded(left[k], ROUND_FLOOR)} {k} left" for k, c in cost.items() if c
    )
    return f"It fits {name!r}: it takes {taken or 'nothing of its own'}."


def _spenders(account: Account, scope: Scope) -> str:
    """Who made the latest charges; for an account with others below it, which of those."""
    chain = account.chain
    bodies = account.book.desk.read(lambda connection: statements.latest(connection, chain, LATEST))
    found: Counter[str] = Counter()
    for body in bodies:
        document = json.loads(body)
        if any(charge["account"] == scope.name for charge in document["charges"]):
            own = document["account"] == scope.name
            found[document["who"] if own else f"{document['who']} through {document['account']!r}"] += 1
    if not found:
        return ""
    shown = ", ".join(f"{who} ({count})" for who, count in found.most_common(3))
    return f"the latest charges to it are by {shown}{' and others' * (len(found) > 3)}"


def _count(request: Request, scopes: Sequence[Scope], rows: Mapping[int, Present]) -> str:
    """How many runs of a repeated mechanism would fit, in words."""
    whole = request.mechanisms[0]
    if not isinstance(whole, Composition) or len(whole.parts) != 1 or len(request.mechanisms) > 1:
        return ""
    part, count = whole.parts[0]
    single = [(rows[s.account], rows[s.account].rule.cost(part)) for s in scopes]
    fits = min(left // c for row, cost in single for left, c in zip(row.left, cost, strict=True) if c)
    return f"{fits} of the {count} would fit"


def _still(fits: Sequence[Mechanism]) -> str:
    return f"what would still fit: {' or '.join(map(spec.dumps, fits))}" if fits else "nothing else would fit"


def _fitting(account: Account, rule: Rule, left: Sequence[int]) -> Iterator[Mechanism]:
    """Mechanisms that take about what is left, each checked against the rule before it is suggested."""
    for mechanism in _guesses(account, rule, left):
        try:
            cost = rule.cost(mechanism)
        except DPError:
            continue
        if any(cost) and all(c <= n for c, n in zip(cost, left, strict=True)):
            yield mechanism


def _guesses(account: Account, rule: Rule, left: Sequence[int]) -> Iterator[Mechanism]:
    if not isinstance(rule, FilterRule):
        yield from (slot for (slot, _), n in zip(rule.slots, left, strict=True) if n)  # type: ignore[attr-defined]
        return
    sums = exact(rule, left)
    if "epsilon" in sums:
        yield from (BlackBox(epsilon=_short(sums["epsilon"])) for _ in range(1) if _short(sums["epsilon"]))
        return
    orders = zip(rule.filter.orders, sums.values(), strict=False)
    rho = sums.get("rho", sums.get("mu_squared", Fraction(0)) / 2) or min((n / a for a, n in orders), default=0)
    if rho <= 0:
        return
    pure = _short(math.sqrt(2 * rho))
    if pure and rule.filter.name != "gdp":
        yield BlackBox(epsilon=pure)
    yield Gaussian(noise_std=Fraction(rounded(math.sqrt(1 / (2 * rho)), ROUND_CEILING, 4)), adjacency=account.adjacency)


def _short(number: float | Fraction) -> Fraction:
    return Fraction(rounded(number, ROUND_FLOOR, 3))


__all__ = ["check", "fitting", "refused"]

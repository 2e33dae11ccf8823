"""Regions of error rates, and judgements on claims, as sheets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from dpcompose.numerics.enclosure import Enclosure
from dpcompose.regions.chain import Chain
from dpcompose.regions.region import Region
from dpcompose.regions.tradeoff import Order, complement
from dpcompose.regions.witness import Judgement, Witness
from dpcompose.report.sheet import Sheet, Table, sheet
from dpcompose.report.words import down, number, up

MOST_CORNERS = 16


@sheet.register
def _(result: Region) -> Sheet:
    corner, variation = equal_rates(result), complement(result.tangent(0).intercept)
    facts = (
        ("area", f"∈ {result.area}", "0 for perfect privacy, 1 for none"),
        ("corner", f"∈ {corner}", "the least rate of both errors at once"),
        ("TV", f"∈ {variation}", "the greatest advantage of an attacker"),
    )
    return Sheet(
        "dpc.region/1",
        ("The rates of misses (fnr) and of false alarms (fpr) that attackers reach:",),
        (Table(("", "", ""), facts), *_corners(result)),
        {
            "area": result.area,
            "corner": corner,
            "total_variation": variation,
            "vertices": [{"fnr": v.fnr, "fpr": v.fpr} for v in result.vertices],
            "outer": [list(point) for point in result.outer],
            "inner": [list(point) for point in result.inner],
        },
    )


def equal_rates(region: Region) -> Enclosure:
    """The point of the boundary at which both rates are equal."""
    below, above = (Enclosure.exactly(_diagonal(chain)) for chain in (region.below, region.above))
    return Enclosure(below.lower, above.upper)


def _diagonal(chain: Chain) -> Fraction:
    """The point at which a falling chain meets the line of equal rates, exactly; it starts on or above that line."""
    for (a, high), (b, low) in pairwise(chain.corners):
        if low <= b:
            rise, run = Fraction(low) - Fraction(high), Fraction(b) - Fraction(a)
            return (Fraction(high) * run - Fraction(a) * rise) / (run - rise) if run else Fraction(a)
    return Fraction(chain.corners[0][0])


def _corners(region: Region) -> tuple[Table, ...]:
    """The vertices of a boundary with finitely many; else of the polygons on both sides of it."""
    if region.vertices:
        rows = [(str(v.fnr), str(v.fpr)) for v in region.vertices]
        return (_listed(("fnr ∈", "fpr ∈"), rows, "Vertices below the diagonal"),)
    outer, inner = (chain.corners for chain in (region.below, region.above))
    return (
        _listed(("fnr", "fpr"), [(down(x), down(y)) for x, y in outer], "Outer polygon: no attacker gets below it"),
        _listed(("fnr", "fpr"), [(up(x), up(y)) for x, y in inner], "Inner polygon: some attacker reaches it"),
    )


def _listed(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], title: str) -> Table:
    """At most a screenful of rows, spread evenly, with the first and the last among them."""
    if len(rows) <= MOST_CORNERS:
        return Table(head, tuple(rows), title)
    picked = sorted({round(i * (len(rows) - 1) / (MOST_CORNERS - 1)) for i in range(MOST_CORNERS)})
    return Table(head, tuple(rows[i] for i in picked), title, f"{len(picked)} of {len(rows)}; JSON has all.")


@sheet.register
def _(result: Judgement) -> Sheet:
    claim = f"({number(result.epsilon)}, {number(result.delta)})-DP"
    verdict, said = {
        True: ("holds", f"HOLDS: this is {claim}."),
        False: ("refuted", f"REFUTED: this is not {claim}, as one event shows."),
        None: ("undecided", f"UNDECIDED: no theorem settles whether this is {claim}."),
    }[result.holds]
    known = Table(("", "", ""), (("δ at ε", f"∈ {result.answer.enclosure}", f"because {result.answer.because}"),))
    return Sheet(
        "dpc.judgement/1",
        (said,),
        (_evidence(result.witness) if result.witness else known,),
        {
            "verdict": verdict,
            "delta_at_epsilon": result.answer,
            "witness": _plain(result.witness) if result.witness else None,
        },
    )


@sheet.register
def _(result: Witness) -> Sheet:
    return Sheet("dpc.witness/1", ("One event refutes the claim:",), (_evidence(result),), _plain(result))


def _evidence(witness: Witness) -> Table:
    first, second = ("first", "second") if witness.order is Order.FORWARD else ("second", "first")
    threshold = number(witness.threshold)
    rows = (
        ("A", "", f"the outcomes over e^{threshold} times likelier on the {first} input"),
        ("P(A)", f"∈ {witness.p}", f"on the {first} of the two neighbouring inputs"),
        ("Q(A)", f"∈ {witness.q}", f"on the {second}"),
        ("excess", f"∈ {witness.excess}", "of P(A) over e^ε Q(A) + δ"),
        ("δ at ε", f"∈ {witness.answer.enclosure}", f"because {_lower(witness)}"),
    )
    return Table(("", "", ""), rows)


def _lower(witness: Witness) -> str:
    """The claim behind the lower end, which refutes."""
    claim = witness.answer.lower_by
    return f"{claim.theorem.id} ({claim.theorem.source})" if claim else "every δ is at least that"


def _plain(witness: Witness) -> dict[str, object]:
    return {
        "threshold": witness.threshold,
        "order": witness.order.value,
        "p": witness.p,
        "q": witness.q,
        "excess": witness.excess,
        "delta_at_epsilon": witness.answer,
    }


__all__ = ["equal_rates"]

"""An allowance: (ε, δ) for a series of releases, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from threading import Lock

from dpcompose.description import FULLY_ADAPTIVE, Adjacency, Composition, Mechanism, Subject, described
from dpcompose.errors import InvalidParameter
from dpcompose.filters import Filter, Promise, filter_of
from dpcompose.filters.charge import Charge, Protects, charge_of
from dpcompose.filters.rules import RULES
from dpcompose.notions import ApproxDP, Guarantee
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove.answer import Answer
from dpcompose.release.charge.totals import Capped, Planned, in_words, is_free
from dpcompose.shown import NotebookResult


class Allowance(NotebookResult):
    """(ε, δ) for a series of releases, in memory, safe under threads.

    The analyst may look at earlier answers before choosing what to ask next, how precisely, and when to stop. So a
    filter fixes caps at the start, one for each sum, and the guarantee is that of the caps. `filter="basic"` adds up ε
    and δ, which suits few releases and δ = 0; `"zcdp"` adds up ρ, which suits many, and Gaussian noise; `leak` is the
    share of δ for steps that may reveal everything. Instead of a filter there may be a `plan` whose steps were all
    fixed in advance; the allowance then starts with the plan spent.

    A charge for another privacy unit, neighbouring relation or dataset is refused; one that is not stated here is set
    by the first charge.
    """

    def __init__(
        self,
        *,
        epsilon: Real,
        delta: Real = 0,
        filter: str | type[Guarantee] = ApproxDP,  # noqa: A002 - as in Composition
        leak: Real = 0,
        orders: Sequence[Real] | Mapping[Real, Real] | None = None,
        plan: Subject | None = None,
        unit: str | None = None,
        adjacency: Adjacency | None = None,
        dataset: str | None = None,
    ) -> None:
        """Start with nothing spent, or with a plan already spent."""
        self.epsilon, self.delta = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
        self.protects = Protects(unit, adjacency, dataset)
        self._lock = Lock()
        self._run: list[tuple[Mechanism, int]] = []
        self._total: Capped | Planned
        planned = None if plan is None else described(plan, "plan")
        if planned is not None and not is_free(planned):
            self._total = Planned(self.epsilon, self.delta, Composition())
        else:
            chosen = getattr(planned, "filter", filter)
            caps = filter_of(
                filter_name(chosen), epsilon=epsilon, delta=delta, leak=leak, orders=orders, adjacency=None
            )
            self._total = Capped.below(caps)
        if planned is not None:
            self.spend(Charge(planned, "the plan"))

    def resumed(
        self, total: Capped | Planned, protects: Protects, run: Sequence[tuple[Mechanism, int]] = ()
    ) -> Allowance:
        """The same allowance with this much spent, as a file records it."""
        self._total, self.protects, self._run = total, protects, list(run)
        return self

    @property
    def filter(self) -> Filter | None:
        """The caps; None where a plan was fixed in advance."""
        return self._total.filter if isinstance(self._total, Capped) else None

    @property
    def guarantee(self) -> Promise | Answer:
        """The guarantee in the end, whatever is asked: the promise at the caps, or the cost of the plan."""
        return self._total.filter.guarantee if isinstance(self._total, Capped) else self.charge

    @property
    def used(self) -> dict[str, tuple[Fraction, Fraction]]:
        """By name: how much of each cap is spent, and the cap."""
        return self._total.used()

    @property
    def sums(self) -> str:
        """What is spent of each cap, in words."""
        return in_words(self.used)

    @property
    def spent(self) -> Composition:
        """All that was run. It is only a record; the sums are kept separately."""
        if isinstance(self._total, Planned):
            return self._total.whole
        return Composition(tuple(self._run), FULLY_ADAPTIVE, self._total.filter.rule.notion)

    @property
    def charge(self) -> Answer:
        """ε at the allowance's δ so far; only where ε and δ themselves add up, or a plan was fixed in advance."""
        return self._total.charge(self.spent, self.delta)

    def check(self, charge: Charge | Subject, purpose: str = "", /) -> None:
        """Raise `OverBudget` for a charge that does not fit; nothing is charged either way."""
        self._after(charge_of(charge, purpose))

    def spend(self, charge: Charge | Subject, purpose: str = "", /) -> None:
        """Charge, or raise `OverBudget` and charge nothing."""
        asked = charge_of(charge, purpose)
        with self._lock:
            self._total, self.protects = self._after(asked)
            self._run.append((asked.mechanism, 1))

    def _after(self, charge: Charge) -> tuple[Capped | Planned, Protects]:
        protects = self.protects.taking(charge)
        return self._total.after(charge.mechanism, charge.purpose or "this charge"), protects

    def __repr__(self) -> str:
        return f"Allowance(epsilon={self.epsilon}, delta={self.delta}: {self.sums})"


def filter_name(chosen: str | type[Guarantee]) -> str:
    """The name of a filter, given by name or by the notion that it adds up."""
    by_notion = {rule().notion: name for name, rule in RULES.items()}
    name = chosen if isinstance(chosen, str) else by_notion.get(chosen, "")
    if name not in RULES:
        raise InvalidParameter("filter", chosen, " or ".join(RULES))
    return name


__all__ = ["Allowance", "filter_name"]

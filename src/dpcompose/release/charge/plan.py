"""A budget in a file: each charge is written to the file before the answer is made."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum
from fractions import Fraction
from pathlib import Path

from dpcompose import spec
from dpcompose.description import Adjacency, Composition, Subject
from dpcompose.errors import DPError
from dpcompose.filters import stated
from dpcompose.filters.charge import Charge, Protects, charge_of, unit_name
from dpcompose.release.charge.allowance import Allowance
from dpcompose.release.charge.files import exclusive, replace
from dpcompose.release.charge.plan_file import PlanFile
from dpcompose.release.charge.totals import Capped
from dpcompose.shown import NotebookResult
from dpcompose.spec.limits import contents


class Plan(NotebookResult):
    """A budget in a file, for one privacy unit, one neighbouring relation and one dataset.

    For every charge one process at a time reads the file again and replaces it whole: after a crash it either holds the
    charge or not. The first charge writes the caps into the file, and they never change.
    """

    def __init__(
        self,
        path: str | Path,
        unit: str | Enum | None = None,
        *,
        adjacency: Adjacency | None = None,
        dataset: str | None = None,
    ) -> None:
        """The file must exist and state a budget; what it says of unit, relation and dataset must agree with the
        arguments.
        """
        self.path = Path(path)
        self._mine = Protects(unit_name(unit), adjacency, dataset)
        self.allowance()

    @property
    def unit(self) -> str | None:
        """The privacy unit."""
        return self._mine.unit

    def allowance(self) -> Allowance:
        """The present state of the file as an allowance in memory; charging that does not change the file."""
        return self._opened(contents(self.path)).allowance()

    @property
    def used(self) -> dict[str, tuple[Fraction, Fraction]]:
        """By name: how much of each cap is spent, and the cap, at present."""
        return self.allowance().used

    def check(self, charge: Charge | Subject, purpose: str = "", /) -> None:
        """Refuse a charge that does not fit; nothing is charged either way."""
        self._opened(contents(self.path)).total_after(self._asked(charge, purpose))

    def spend(self, charge: Charge | Subject, purpose: str = "", /) -> None:
        """Append the charge to the file, or refuse and leave it as it is."""
        asked = self._asked(charge, purpose)
        with exclusive(self.path):
            before = self._opened(contents(self.path))
            before.total_after(asked)
            longer = before.appended(self._entry(before, asked), before.protects.taking(asked))
            if len(longer.encode()) > spec.MOST_CHARACTERS:
                raise DPError(
                    f"{self.path.name!r} is full: put several charges of it into one, such as 30 * Laplace(…)."
                )
            if not before.is_kept_in(longer):
                raise DPError(f"{self.path.name!r} cannot be added to: write what is spent as [[spent]] tables.")
            replace(self.path, longer)

    def _asked(self, charge: Charge | Subject, purpose: str) -> Charge:
        """The charge; one that names no unit gets that of the plan."""
        asked = charge_of(charge, purpose)
        self._mine.taking(asked)
        return Charge(
            asked.mechanism,
            asked.purpose,
            asked.unit or self._mine.unit,
            asked.adjacency or self._mine.adjacency,
            asked.dataset or self._mine.dataset,
        )

    def _opened(self, text: str) -> PlanFile:
        found = PlanFile.read(self.path.name, text)
        mine = self._mine
        found.protects.taking(Charge(Composition(), "this release", mine.unit, mine.adjacency, mine.dataset))
        return found

    @staticmethod
    def _entry(before: PlanFile, asked: Charge) -> dict[str, str | list[str]]:
        entry: dict[str, str | list[str]] = {"mechanism": spec.dumps(stated(asked.mechanism)), "purpose": asked.purpose}
        if asked.unit is not None:
            entry["unit"] = asked.unit
        if isinstance(before.total, Capped):
            cost = before.total.cost(asked.mechanism, asked.purpose or "this charge")
            entry["cost"] = [spec.written(c) for c in cost]
        entry["at"] = datetime.now(UTC).isoformat(timespec="seconds")
        return entry

    def __repr__(self) -> str:
        return f"Plan({str(self.path)!r}, unit={self.unit!r})"


__all__ = ["Plan"]

"""One accountant on every work: its answer, how that compares to the truth, and how long it took."""

from __future__ import annotations

import math
import signal
import statistics
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from textwrap import shorten

from dpcompose.referee.adapter import Adapter, NotOffered
from dpcompose.referee.works import NOT_LESS, Work

SLACK = 1e-9
"""An answer that lies below the truth by a smaller share than this counts as rounded, not as wrong."""
PATIENCE = 60.0
"""Seconds of waiting for one answer."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One accountant's answer to one work."""

    work: Work
    said: float
    seconds: float
    fault: str = ""
    """Why there is no answer; `not offered` is no failure."""

    @property
    def offered(self) -> bool:
        """Whether the accountant can express the work."""
        return self.fault != "not offered"

    @property
    def failed(self) -> bool:
        """Whether the accountant can express the work but gave no usable answer: none, negative, or infinite for a
        finite ε.
        """
        hopeless = math.isinf(self.said) and math.isfinite(self.work.upper)
        return self.offered and (bool(self.fault) or math.isnan(self.said) or self.said < 0 or hopeless)

    @property
    def violation(self) -> float:
        """By how much the answer lies below the truth, as a share of it; 0 where it does not."""
        if not self.offered or self.fault or math.isnan(self.said) or self.said >= self.work.lower:
            return 0.0
        if math.isinf(self.work.lower):
            return 1.0
        return (
            (self.work.lower - self.said) / self.work.lower if self.work.lower > 0 else 0.0
        )  # a number below 0 is no answer

    @property
    def unsound(self) -> bool:
        """Whether it promises more privacy than there is."""
        return self.violation > SLACK

    @property
    def tight(self) -> bool:
        """Whether a sound answer equals the truth, as far as the truth is known."""
        return self.gap is None or self.gap <= SLACK

    @property
    def gap(self) -> float | None:
        """How far above the truth a sound answer lies, as a share of it."""
        usable = self.offered and not self.failed and not self.unsound
        return self.said / self.work.upper - 1 if usable and 0 < self.work.upper < math.inf else None


@dataclass(frozen=True, slots=True)
class Sheet:
    """One accountant's answers to many works."""

    adapter: Adapter
    cells: tuple[Cell, ...]

    @property
    def version(self) -> str:
        """The version of its package."""
        try:
            return version(self.adapter.package)
        except PackageNotFoundError:
            return "not installed"

    @property
    def answered(self) -> list[Cell]:
        """The answers to works that the accountant can express."""
        return [cell for cell in self.cells if cell.offered]

    @property
    def worst(self) -> Cell | None:
        """The answer that lies furthest below the truth, if one does."""
        return max((cell for cell in self.cells if cell.unsound), key=lambda cell: cell.violation, default=None)

    @property
    def failures(self) -> list[Cell]:
        """The works that the accountant can express but gave no usable answer to."""
        return [cell for cell in self.cells if cell.failed]

    @property
    def median_gap(self) -> float | None:
        """The median, over its sound answers, of how far they lie above the truth (relatively)."""
        gaps = [cell.gap for cell in self.cells if cell.gap is not None]
        return statistics.median(gaps) if gaps else None

    @property
    def contradictions(self) -> list[tuple[str, str]]:
        """The pairs of works on which the accountant's own answers contradict each other."""
        said = {cell.work.id: cell.said for cell in self.answered if not cell.fault}
        pairs = [(less, more) for less, more in NOT_LESS if less in said and more in said]
        return [(less, more) for less, more in pairs if said[less] > said[more] * (1 + SLACK)]

    def slower(self, ours: Sheet) -> float | None:
        """The median ratio of the accountant's times to ours, over the works it answers."""
        known = {cell.work.id: cell.seconds for cell in ours.cells}
        ratios = [cell.seconds / known[cell.work.id] for cell in self.answered if known.get(cell.work.id)]
        return statistics.median(ratios) if ratios else None

    def faster(self, ours: Sheet) -> list[Cell]:
        """Sound answers that came sooner than ours."""
        known = {cell.work.id: cell.seconds for cell in ours.cells}
        sound = (cell for cell in self.answered if not cell.failed and not cell.unsound)
        return [cell for cell in sound if cell.seconds < known.get(cell.work.id, 0.0)]


def judge(adapter: Adapter, works: Sequence[Work], patience: float = PATIENCE) -> Sheet:
    """Put every work to an accountant."""
    return Sheet(adapter, tuple(asked(adapter, work, patience) for work in works))


def asked(adapter: Adapter, work: Work, patience: float = PATIENCE) -> Cell:
    """Put one work to an accountant; an exception is recorded as its fault. Fast answers are timed a second time."""
    said, seconds = math.nan, math.inf
    try:
        for _ in range(2):
            began = time.process_time()
            with warnings.catch_warnings(), limited(patience):
                warnings.simplefilter("ignore")
                said = float(adapter.epsilon(work.mechanism, work.delta))
            seconds = min(seconds, time.process_time() - began)
            if seconds > 1:
                break
    except NotOffered:
        return Cell(work, math.nan, 0.0, "not offered")
    except Exception as error:  # noqa: BLE001 - any failure of an accountant is a finding, not an end
        return Cell(work, math.nan, seconds, shorten(f"{type(error).__name__}: {error}", 100, placeholder=" …"))
    return Cell(work, said, seconds)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise after this many seconds, where the system has alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError(f"no answer after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


__all__ = ["Cell", "Sheet", "asked", "judge"]

r"""Keys that come from the data: a key is shown only if its noisy count reaches a threshold.

A key that only one unit has is missing in the neighbouring table, where it is never shown; here it is shown with
probability at most $p = P(m + Z \ge \tau)$, where $m$ is the greatest number of rows of a unit. So each of the unit's
keys costs what its noisy count costs, and a leak of $p$ (Korolova, Kenthapadi, Mishra and Ntoulas 2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms import NameAndShame
from dpcompose.numerics.enclosure import rounded
from dpcompose.release.ask.noises import Drawn


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least noisy count that is shown, and the leak for each key of a unit."""

    least: int
    leak: Fraction

    @property
    def mechanism(self) -> NameAndShame:
        """The leak of one key."""
        return NameAndShame(delta=self.leak)


def threshold(drawn: Drawn, cells: int, rows: int, delta: Fraction) -> Threshold:
    r"""The least $\tau = m + t$ with `cells` leaks of $P(Z \ge t)$ within δ: $1-(1-p)^c \le cp$."""
    if not delta:
        raise InvalidParameter(
            "delta", 0, "a positive number where keys come from the data, or the list of keys in `keys`"
        )
    distance = drawn.reach(delta / cells)
    short = Fraction(rounded(drawn.tail(distance), ROUND_CEILING))  # a short fraction, for a readable charge
    return Threshold(rows + distance, min(short, delta / cells))


__all__ = ["Threshold", "threshold"]

"""How many cases a property test draws: as many as it says, scaled by the profile it runs under.

`HYPOTHESIS_PROFILE=quick` draws a tenth, for the daily loop; `ci` is the measure; `nightly` draws sixty times as many,
and other ones every time.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")
SCALES = {"quick": Fraction(1, 10), "ci": Fraction(1), "nightly": Fraction(60)}
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
USUAL = 100
"""What a property test draws under `ci` when it does not say."""


def scaled(count: int, profile: str = PROFILE) -> int:
    """That many cases under `ci`; at least one under any profile."""
    return math.ceil(count * SCALES[profile])


def by_day(count: int, share: Fraction) -> int:
    """A share of so many cases by day; at night, when there is time, no fewer than `scaled` says."""
    return scaled(count) if PROFILE == "nightly" else scaled(math.ceil(count * share))


def daily(table: Iterable[T], one_in: int) -> list[T]:
    """The cases of a table that take long: by day one in so many, at night all of them."""
    return list(table)[:: 1 if PROFILE == "nightly" else one_in]


def cases(count: int) -> settings:
    """Decorate a property test with this, in place of `settings(max_examples=count)`."""
    return settings(max_examples=scaled(count))


for _name in SCALES:
    settings.register_profile(
        _name,
        derandomize=_name != "nightly",  # the same cases every time: a failure is about the change, not about luck
        deadline=None,  # timings never gate a test
        print_blob=True,
        max_examples=scaled(USUAL, _name),
        suppress_health_check=[HealthCheck.too_slow],  # a timing as well
    )
settings.load_profile(PROFILE)

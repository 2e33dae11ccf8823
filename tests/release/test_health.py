"""A source of randomness that is stuck or fails stops a release before the data is touched."""

from __future__ import annotations

import os
import threading
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import polars as pl
import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.sampling import OS, Unhealthy, bernoulli, discrete_gaussian, discrete_laplace, health, watched


class Untouched:
    """A frame that nobody may look at."""

    def __getattr__(self, name: str) -> object:
        pytest.fail(f"the data was touched: {name}")


class Stuck:
    def bytes(self, count: int, /) -> bytes:
        return bytes(count)


class Biased:
    """One byte in sixteen is always the same."""

    def bytes(self, count: int, /) -> bytes:
        found = bytearray(os.urandom(count))
        found[::16] = b"\x07" * len(found[::16])
        return bytes(found)


class Rewound:
    """The same block whenever it is asked, as after a snapshot of a machine is restored."""

    def bytes(self, count: int, /) -> bytes:
        return np.random.default_rng(5).bytes(count)


class Failing:
    def bytes(self, count: int, /) -> bytes:
        raise OSError(5, f"Input/output error after {count} bytes")


class Short:
    def bytes(self, count: int, /) -> bytes:
        return os.urandom(count // 2)


@pytest.mark.parametrize(
    "source, words", [(Stuck(), "in a row"), (Failing(), "no bytes"), (Short(), "512 bytes where")]
)
@pytest.mark.parametrize("ask", ["count", "cut", "covariance"])
def test_a_broken_source_is_noticed_before_the_data(source: Any, words: str, ask: str) -> None:
    goal: dict[str, Any] = {"eta": 0.5, "nu": 0.1, "epsilon": 0.5, "delta": 1e-6, "source": source}
    book = release.Allowance(epsilon=1, delta=1e-5)

    def unread() -> Any:
        pytest.fail("the data was read")

    asked = {
        "count": lambda: release.count(Untouched(), unit="u", epsilon=0.5, budget=book, source=source),
        "cut": lambda: release.cut_sketch(unread, vertices=9, **goal, budget=book),
        "covariance": lambda: release.covariance_sketch(unread, features=3, **goal, budget=book),
    }
    with pytest.raises(Unhealthy, match=words) as refusal:
        asked[ask]()
    assert "\n" not in str(refusal.value)
    assert book.used["epsilon"][0] == 0


def test_a_source_that_fails_later_gives_no_answer() -> None:
    class Tiring:
        left = 1024

        def bytes(self, count: int, /) -> bytes:
            self.left -= count
            return os.urandom(count) if self.left >= 0 else bytes(count)

    frame = pl.DataFrame({"u": range(100)})
    options: dict[str, Any] = {"unit": release.EVERY_ROW, "by": "u", "keys": list(range(99)), "epsilon": 1}
    with pytest.raises(dpc.DPError, match=r"no answer was made|not healthy"):
        release.count(frame, **options, source=Tiring())


@pytest.mark.parametrize(
    "source, words", [(Biased(), "among 512"), (Rewound(), "repeats itself"), (Stuck(), "in a row")]
)
def test_what_is_not_random_is_seen_also_in_small_draws(source: Any, words: str) -> None:
    looked = health.Watched(source)
    with pytest.raises(Unhealthy, match=words):
        [looked.bytes(16) for _ in range(100_000)]


def test_a_run_is_seen_byte_by_byte() -> None:
    looked = health.Watched(Stuck())
    for _ in range(health.MOST_REPEATS - 1):
        looked.bytes(1)
    with pytest.raises(Unhealthy, match="in a row"):
        looked.bytes(1)


def test_the_operating_system_passes() -> None:
    source = watched(OS)
    for size in (1, 7, 512, 100_000, 3_000_000):
        assert len(source.bytes(size)) == size


def test_the_limits_are_where_a_false_alarm_is_as_rare_as_stated() -> None:
    mpmath.mp.dps = 40
    n, p = health.WINDOW - 1, mpmath.mpf(1) / 256

    def tail(least: int) -> Any:
        return mpmath.fsum(mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(least, n + 1))

    assert tail(health.MOST_ALIKE - 1) <= mpmath.mpf(2) ** -60 < tail(health.MOST_ALIKE - 2)
    assert Fraction(1, 256) ** (health.MOST_REPEATS - 1) <= health.ALARM


def test_samplers_draw_in_many_threads() -> None:
    """Draws of every law at once, small and large, each from its own watched source: none fails, all have their law."""
    found: dict[str, Any] = {}
    wrong: list[BaseException] = []

    def run(name: str, draw: Any) -> None:
        try:
            found[name] = np.concatenate([np.asarray(draw(size), dtype=float) for size in (5, 31, 40, 20_000)])
        except BaseException as error:  # noqa: BLE001 - it is reported
            wrong.append(error)

    laws = {
        "laplace": lambda n: discrete_laplace(Fraction(17, 3), n, watched(OS)),
        "gaussian": lambda n: discrete_gaussian(Fraction(29, 4), n, watched(OS)),
        "coin": lambda n: bernoulli(Fraction(1, 3), n, watched(OS)),
        "wide": lambda n: discrete_laplace(10**6, n, watched(OS)),
    }
    threads = [threading.Thread(target=run, args=(f"{name} {i}", law)) for i in range(3) for name, law in laws.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(found) == 12
    for i in range(3):
        assert found[f"coin {i}"].mean() == pytest.approx(1 / 3, abs=0.03)
        assert found[f"gaussian {i}"].std() == pytest.approx(7.25, rel=0.06)
        assert found[f"laplace {i}"].std() == pytest.approx(2**0.5 * 17 / 3, rel=0.08)

"""One decision, exactly: every bracket, every entry of a table and every string of bits, against mpmath."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial

import mpmath
import numpy as np
import pytest

from dpcompose.release.sampling import thinning, uniform
from dpcompose.release.sampling.coins import Coin, ExponentialCoin, bernoulli
from dpcompose.release.sampling.digits import Digit, Leading
from dpcompose.release.sampling.lookup import FIRST, SECOND, LookupTable, TabledLaw, bracket, settle
from dpcompose.release.sampling.stairs import LowerPart
from dpcompose.release.sampling.thinning import COARSE, FINE, Rejection, Thinning

F = Fraction
DEEP = 400  # bits of the oracle


def truth(law: TabledLaw, index: int) -> int:
    """⌊2^DEEP P(X > index)⌋ in mpmath, from the mass function where the law has one."""
    with mpmath.workprec(DEEP + 64):
        return int(mpmath.floor(mpmath.ldexp(ORACLES[type(law)](law, index), DEEP)))


def real(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


@cache
def digit_tails(law: Digit) -> list[mpmath.mpf]:
    """By summing the mass function."""
    heights = [mpmath.exp(-real(law.rate) * d) for d in range(law.count + 1)]
    return [mpmath.fsum(heights[index + 1 :]) / mpmath.fsum(heights) for index in range(law.count)]


def lower_part(law: LowerPart, _: int) -> mpmath.mpf:
    odds = real(1 - law.gamma) / real(law.gamma) * mpmath.exp(-real(law.epsilon))
    return odds / (1 + odds)


ORACLES: dict[type, Callable[..., mpmath.mpf]] = {
    Coin: lambda law, _: real(law.probability),
    ExponentialCoin: lambda law, _: mpmath.exp(-real(law.exponent)),
    Digit: lambda law, index: digit_tails(law)[index],
    Leading: lambda law, index: mpmath.exp(-real(law.rate) * (index + 1)),
    LowerPart: lower_part,
    Rejection: lambda law, _: (
        1 - mpmath.exp(-((law.distance - real(law.variance) / law.scale) ** 2) / (2 * real(law.variance)))
    ),
}
LAWS: list[TabledLaw] = [
    Coin(F(1, 3)),
    Coin(F(5, 16)),
    Coin(F(1, 10**30)),
    ExponentialCoin(F(1, 7)),
    ExponentialCoin(F(1, 10**12)),
    ExponentialCoin(F(100)),
    Digit(F(1, 3), 1),
    Digit(F(1, 1000), 8),
    Digit(F(1, 10**40), 8),
    Digit(F(9), 3),
    Leading(F(1, 8), 256),
    Leading(F(7, 3), 14),
    LowerPart(F(1), F(3, 10)),
    LowerPart(F(1, 100), F(1, 2)),
    Rejection(F(100), 11, 0),
    Rejection(F(100), 11, 9),
    Rejection(F(1, 9), 1, 3),
]


def decided(low: int, high: int, leading: int) -> bool | None:
    """The rule: u < p, u ≥ p, or not yet known."""
    return True if leading < low else False if leading >= high else None


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("bits", [1, 2, 5, 10])
def test_every_string_of_bits_decides_rightly_or_not_at_all(law: TabledLaw, bits: int) -> None:
    for index in range(0, law.count, 17):
        deep = truth(law, index)
        low, high = bracket(partial(law.survival, index), bits)
        found = [decided(low, high, leading) for leading in range(1 << bits)]
        for leading, verdict in enumerate(found):
            if verdict is True:
                assert (leading + 1) << (DEEP - bits) <= deep + 1
            elif verdict is False:
                assert leading << (DEEP - bits) >= deep
        assert found.count(None) <= 2  # so the open mass goes to nothing (2: the truth may lie beside a short fraction)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("bits", [16, 48, 64, 192])
def test_brackets_hold_the_truth_and_are_narrow(law: TabledLaw, bits: int) -> None:
    for index in range(law.count):
        low, high = bracket(partial(law.survival, index), bits)
        deep = truth(law, index)
        assert low << (DEEP - bits) <= deep + 1
        assert deep <= high << (DEEP - bits)
        assert 0 <= high - low <= 2


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_every_entry_of_a_table_is_right(law: TabledLaw) -> None:
    table, tails = LookupTable.of(law), [1 << DEEP, *(truth(law, j) for j in range(law.count)), -1]

    def check(value: int, first: int, last: int, bits: int) -> None:
        """All u in [first, last] / 2^bits lead to `value`: they lie from P(X > value) to P(X > value − 1)."""
        assert tails[value + 1] <= first << (DEEP - bits)
        assert (last << (DEEP - bits)) <= tails[value] + 1

    starts = np.flatnonzero(np.diff(table.direct, prepend=-2))
    for start, end in zip(starts, [*starts[1:], 1 << FIRST], strict=True):
        if (value := int(table.direct[start])) >= 0:
            check(value, int(start), int(end), FIRST)
    assert table.points[0] == 0
    for point, end, value in zip(table.points, [*table.points[1:], 1 << SECOND], table.values, strict=True):
        if value >= 0 and point < 1 << SECOND:
            check(int(value), int(point), int(end), SECOND)
    assert np.count_nonzero(table.direct < 0) <= 2 * law.count
    width = np.diff(np.append(table.points, 1 << SECOND).clip(max=1 << SECOND))
    assert width[table.values < 0].sum() <= 2 * law.count


class Bytes:
    """Hands out given bytes, then refuses."""

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)

    def bytes(self, count: int, /) -> bytes:
        assert len(self.parts[0]) == count
        return self.parts.pop(0)


ALL_16 = np.arange(1 << 16, dtype="<u2").tobytes()


@pytest.mark.parametrize("sixteenths", range(17))
def test_a_dyadic_coin_is_decided_by_all_strings_of_sixteen_bits_in_proportion(sixteenths: int) -> None:
    assert bernoulli(F(sixteenths, 16), 1 << 16, Bytes(ALL_16)).sum() == sixteenths << 12


def test_a_coin_of_a_third_asks_again_for_exactly_one_string() -> None:
    # 2^16/3 = 21845 + 1/3: the string 21845 is open, and a third of what may follow it is below.
    for following, extra in [(0, 1), (0x55555554, 1), (0x55555556, 0), (0xFFFFFFFF, 0)]:
        source = Bytes(ALL_16, following.to_bytes(4, "little"))
        assert bernoulli(F(1, 3), 1 << 16, source).sum() == 21845 + extra
    # Still open after 48 bits: 64 more are drawn.
    for following, extra in [(0x5555555555555554, 1), (0x5555555555555556, 0)]:
        source = Bytes(ALL_16, b"\x55" * 4, following.to_bytes(8, "little"))
        assert bernoulli(F(1, 3), 1 << 16, source).sum() == 21845 + extra


def test_one_by_one_gives_what_the_table_gives() -> None:
    for law in LAWS:
        table = LookupTable.of(law)
        for leading in range(0, 1 << FIRST, 997):
            if table.direct[leading] >= 0:
                assert settle(law, leading, FIRST, Bytes()) == table.direct[leading]


@pytest.mark.parametrize("bits", range(1, 17))
def test_every_number_of_so_many_bits_is_proposed_equally_often(bits: int) -> None:
    width = 1 if bits <= 8 else 2
    everything = np.arange(1 << 8 * width, dtype=f"<u{width}").tobytes()
    found = Counter(uniform._short(bits, 1 << 8 * width, Bytes(everything)).tolist())
    assert found == dict.fromkeys(range(1 << bits), 1 << (8 * width - bits))


def test_long_numbers_are_proposed_equally_often() -> None:
    everything = np.arange(1 << 16, dtype="<u2").tobytes()
    found = Counter(uniform._long(13, 1 << 16, Bytes(everything)).tolist())
    assert found == dict.fromkeys(range(1 << 13), 8)


@pytest.mark.parametrize("fineness", [COARSE, FINE])
@pytest.mark.parametrize("sigma", [F(1, 3), F(3), F(40), F(999, 2), F(10**9)])
def test_a_cell_brackets_every_distance_in_it(sigma: Fraction, fineness: int) -> None:
    variance, scale = sigma**2, int(sigma) + 1
    thin = Thinning.of(variance, scale, fineness)
    for distance in {*range(0, 9 * scale, max(scale // 97, 1)), *range(50), int(variance / scale)}:
        cell = min(distance >> thin.shift, len(thin.low) - 1)
        deep = truth(Rejection(variance, scale, distance), 0)
        assert int(thin.low[cell]) << (DEEP - thinning.BITS) <= deep + 1
        assert deep <= int(thin.high[cell]) << (DEEP - thinning.BITS)
    far = truth(Rejection(variance, scale, 1000 * scale), 0)
    assert int(thin.low[-1]) << (DEEP - thinning.BITS) <= far + 1
    assert thin.high[-1] == 1 << thinning.BITS


def test_a_proposal_is_kept_exactly_when_its_bits_say_so() -> None:
    thin = Thinning.of(F(100), 11, COARSE)
    assert thin.shift == 0
    for distance in (0, 3, 9, 17, 30):
        low, high = int(thin.low[distance]), int(thin.high[distance])
        assert high == low + 1
        for leading, more, kept in [
            (low - 1, None, False),
            (low, bytes(8), False),  # the bits that follow put u below the chance of being rejected,
            (low, b"\xff" * 8, True),  # or above it
            (high, None, True),
        ]:
            source = Bytes(leading.to_bytes(4, "little"), *([more] if more else []))
            assert thin.keeps(np.array([distance]), source).tolist() == [kept]
            assert not source.parts

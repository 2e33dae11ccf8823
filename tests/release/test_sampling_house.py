"""What the samplers may never do, whatever they are asked."""

from __future__ import annotations

import ast
import sys
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from dpcompose.errors import DPError, InvalidParameter
from dpcompose.mechanisms.staircase import variance_optimal_gamma
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.release import sampling
from dpcompose.release.sampling import (
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    geometric,
    practical_gamma,
    staircase,
    uniform_below,
)
from dpcompose.release.sampling.batches import BATCH, in_batches
from dpcompose.release.sampling.testing import RepeatableBytesForTests

F = Fraction
HOME = Path(sampling.__file__ or "").parent
SOURCE = HOME.parents[1]
CODE = [path for path in sorted(HOME.glob("*.py")) if path.name != "testing.py"]
DRAWS: dict[str, Callable[..., Any]] = {
    "geometric": lambda size, source: geometric(F(50, 3), size, source),
    "discrete_laplace": lambda size, source: discrete_laplace(F(10) ** 4, size, source),
    "long discrete_laplace": lambda size, source: discrete_laplace(F(10) ** 25, size, source),
    "discrete_gaussian": lambda size, source: discrete_gaussian(F(50, 3), size, source),
    "wide discrete_gaussian": lambda size, source: discrete_gaussian(F(10) ** 7, size, source),
    "long discrete_gaussian": lambda size, source: discrete_gaussian(F(10) ** 25, size, source),
    "staircase": lambda size, source: staircase(F(1), F(1), F(1, 3), F(1, 100), size, source),
    "bernoulli": lambda size, source: bernoulli(F(1, 3), size, source),
    "bernoulli_exp": lambda size, source: bernoulli_exp(F(1, 3), size, source),
    "uniform_below": lambda size, source: uniform_below(1000, size, source),
}


def floats_in(frame: FrameType) -> list[str]:
    """Local variables that are, or hold, floating-point numbers."""
    return [
        name
        for name, value in frame.f_locals.items()
        if isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
    ]


def watched(run: Callable[[], object]) -> list[str]:
    """Run, and report every float that a function of the samplers returned, was given or had in a variable."""
    seen: list[str] = []

    def watch(frame: FrameType, event: str, value: object) -> None:
        if event == "return" and Path(frame.f_code.co_filename).parent == HOME:
            where = f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_name}"
            seen.extend(f"{where}:{name}" for name in floats_in(frame))
            if isinstance(value, np.ndarray) and value.dtype.kind not in "iubO":
                seen.append(f"{where}: returns {value.dtype}")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(before)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 5000])
@pytest.mark.parametrize("name", DRAWS)
def test_no_float_is_ever_seen(name: str, size: int) -> None:
    assert not watched(lambda: DRAWS[name](size, RepeatableBytesForTests(1)))


def test_a_float_would_be_seen() -> None:
    assert watched(lambda: discrete_laplace(2.5, 3, RepeatableBytesForTests(1)))  # its own argument


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.name)
def test_no_float_is_written(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    assert not [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    assert not names & {"float", "float16", "float32", "float64", "double", "divide", "true_divide", "mid"}


def test_the_doubles_for_tests_stay_in_tests() -> None:
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert path == HOME / "testing.py" or ("ForTests" not in text and "sampling.testing" not in text), path
    assert not [name for name in dir(sampling) if "ForTests" in name]
    assert not [name for name in sampling.__all__ if not hasattr(sampling, name)]


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("size", [0, 1, 31, 32, 33])
def test_as_many_as_asked_for(name: str, size: int) -> None:
    found = DRAWS[name](size, RepeatableBytesForTests(2))
    assert found.shape == (size,)
    assert found.dtype in (np.int64, np.bool_, np.object_)


def test_the_same_bytes_give_the_same_draws_and_other_bytes_others() -> None:
    for name, run in DRAWS.items():
        first = run(500, RepeatableBytesForTests(3))
        assert np.array_equal(first, run(500, RepeatableBytesForTests(3))), name
        assert not np.array_equal(first, run(500, RepeatableBytesForTests(4))), name


@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize("scale", [0, 5e-324, F(1, 10**9), 1e-6])
def test_tiny_noise_is_none(scale: float, size: int) -> None:
    source = RepeatableBytesForTests(5)
    for sample in (geometric, discrete_laplace, discrete_gaussian):
        assert not sample(scale, size, source).any()


@pytest.mark.slow
@pytest.mark.parametrize("scale", [2.0**61, 1e19, 1e150, F(10**150 - 1, 7)])
@pytest.mark.parametrize("size", [3, 200])
def test_huge_noise_is_whole_and_of_its_size(scale: float, size: int) -> None:
    source = RepeatableBytesForTests(6)
    for sample in (discrete_laplace, discrete_gaussian):
        found = [int(z) for z in sample(scale, size, source)]
        assert max(map(abs, found)) < 60 * scale
        assert max(map(abs, found)) > scale / 1000
        assert len(set(found)) == size


def test_results_are_64_bit_where_they_fit() -> None:
    source = RepeatableBytesForTests(7)
    assert discrete_laplace(10**9, 100, source).dtype == np.int64
    assert discrete_laplace(2**70, 100, source).dtype == np.object_
    assert {type(z) for z in discrete_laplace(2**70, 100, source)} == {int}
    # Long fractions on the way, short integers in the end: a float's step is not a float's grid.
    assert staircase(1.0, 1.0, 0.3, 0.1, 500, source).dtype == np.int64
    assert staircase(0.01, 1.0, 0.3, 1e-3, 500, source).dtype == np.int64


@pytest.mark.slow
def test_staircase_at_the_ends_of_its_range() -> None:
    source = RepeatableBytesForTests(8)
    assert not staircase(1, 0, F(1, 2), 1, 10, source).any()
    assert not staircase(0, 0, F(1, 2), 1, 10, source).any()
    for arguments in [(1e-300, 1, 0.5, 1), (1, 1e150, 0.3, 5e-324), (1, 5e-324, 0.3, 1e150), (1e299, 1, 1e-300, 1)]:
        for size in (0, 2, 40):
            found = staircase(*arguments, size, source)
            assert len(found) == size
            assert all(int(z) == z for z in found)
    with pytest.raises(InvalidParameter, match="epsilon"):
        staircase(0, 1, F(1, 2), 1, 10, source)


@pytest.mark.parametrize("epsilon", [F(1, 10**6), F(1, 2), F(1), F(5), F(40)])
def test_a_practical_gamma_is_short_and_close_below_the_best(epsilon: Fraction) -> None:
    gamma, best = practical_gamma(epsilon), Enclosure.of(variance_optimal_gamma(epsilon)).upper
    assert 0 < gamma <= best
    assert gamma > best * (1 - 2**-15)
    assert practical_gamma(10**300) > 0


class Constant:
    """Not random at all."""

    def __init__(self, value: int) -> None:
        self.value = value

    def bytes(self, count: int, /) -> bytes:
        return bytes([self.value]) * count


class Short:
    """Never gives all that was asked for."""

    def bytes(self, count: int, /) -> bytes:
        return bytes(count - 1)


@pytest.mark.slow
def test_a_broken_source_is_refused_in_bounded_time() -> None:
    for size in (1, 40):
        with pytest.raises(DPError, match="is not random"):
            geometric(1, size, Constant(0))
        with pytest.raises(DPError, match="is not random"):
            uniform_below(5, size, Constant(0))
        with pytest.raises(DPError, match="is not random"):
            bernoulli(F(1, 3), size, Constant(0x55))
        with pytest.raises(DPError, match="bytes where"):
            discrete_gaussian(1, size, Short())
    with pytest.raises(DPError, match="bytes where"):
        uniform_below(2**80, 5, Short())


@pytest.mark.parametrize(
    "run",
    [
        lambda: discrete_laplace(-1, 1),
        lambda: discrete_laplace(float("nan"), 1),
        lambda: discrete_gaussian(float("inf"), 1),
        lambda: discrete_gaussian(1, -1),
        lambda: discrete_gaussian(1, 1.5),
        lambda: discrete_gaussian(1, True),
        lambda: geometric("1", 1),
        lambda: bernoulli(F(3, 2), 1),
        lambda: bernoulli_exp(-F(1, 2), 1),
        lambda: uniform_below(0, 1),
        lambda: uniform_below(2.5, 1),
        lambda: staircase(1, 1, 2, 1, 1),
        lambda: staircase(1, 1, F(1, 2), 0, 1),
        lambda: staircase(-1, 1, F(1, 2), 1, 1),
    ],
)
def test_what_makes_no_sense_is_refused(run: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter, match="is not allowed: expected"):
        run()


def test_memory_does_not_grow_beyond_the_result() -> None:
    size = 8 * BATCH
    discrete_gaussian(50, BATCH, RepeatableBytesForTests(9))  # tables
    tracemalloc.start()
    try:
        discrete_gaussian(50, size, RepeatableBytesForTests(9))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * 8 * size + 16 * 8 * BATCH  # the parts, their union, and one batch at work


@pytest.mark.parametrize(
    "value, dtype", [(2**63 - 1, np.int64), (2**63, np.object_), (-(2**63), np.int64), (-(2**63) - 1, np.object_)]
)
def test_nothing_is_squeezed_into_64_bits(value: int, dtype: type) -> None:
    found = in_batches(2, lambda _: np.array([0, value], dtype=np.object_))
    assert found.dtype == dtype
    assert found.tolist() == [0, value]

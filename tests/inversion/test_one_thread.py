"""Products of the engine stay on the thread that asks: a second one of BLAS only waits, at the cost of a core."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpcompose
from dpcompose.numerics.rounding import LONGEST, TILE, UNIT_ROUNDOFF, combined, product

SHAPES = [(3, 4, 5), (40, 30, 70), (100, 200, 100), (1, 3 * LONGEST, 9), (90, LONGEST + 1, 1), (2, TILE, 2)]
ROOMS = ("inversion", "mechanisms", "theorems", "exact")
ASKED = """
import os, time, numpy, dpcompose as dpc

def spent(tasks):
    fields = (open(f"/proc/self/task/{task}/stat").read().rpartition(")")[2].split() for task in tasks)
    return sum(int(one[11]) + int(one[12]) for one in fields)

def running(task):
    return open(f"/proc/self/task/{task}/stat").read().rpartition(")")[2].split()[0] == "R"

def others():
    return [task for task in os.listdir("/proc/self/task") if int(task) != os.getpid()]

def ask(noise):
    dpc.delta(300 * dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=0.001), epsilon=3)
    dpc.epsilon(20 * dpc.Sampled(dpc.Laplace(scale=noise), rate=0.01) + 50 * dpc.Gaussian(noise_std=30), delta=1e-9)
    many = [dpc.Sampled(dpc.Gaussian(noise_std=noise + i / 99), rate=0.01) for i in range(99)]
    dpc.epsilon(dpc.Composition(many), delta=1e-6)

assert others(), "BLAS has one thread only"
ask(0.7)
time.sleep(0.3)  # a thread that was just made looks about for work
while any(running(task) for task in others()):
    time.sleep(0.01)
before = spent(others()), spent([os.getpid()])
ask(0.75)
print(spent(others()) - before[0], spent([os.getpid()]) - before[1])
"""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stack", [(), (3,)])
def test_a_product_in_tiles_is_the_product(shape: tuple[int, int, int], stack: tuple[int, ...]) -> None:
    """Each entry within the roundings of its own sum."""
    rows, length, columns = shape
    draw = np.random.default_rng(7)
    left = draw.normal(size=(*stack, rows, length)) + 1j * draw.normal(size=(*stack, rows, length))
    right = draw.normal(size=(*stack, length, columns)) + 1j * draw.normal(size=(*stack, length, columns))
    sizes = np.einsum("...ij,...jk->...ik", np.abs(left), np.abs(right))
    error = np.abs(product(left, right) - np.einsum("...ij,...jk->...ik", left, right))
    assert np.all(error <= 6 * (length + 2) * UNIT_ROUNDOFF * sizes)
    error = np.abs(combined(left, right[..., 0]) - np.einsum("...ij,...j->...i", left, right[..., 0]))
    assert np.all(error <= 6 * (length + 2) * UNIT_ROUNDOFF * sizes[..., 0])


def test_whoever_multiplies_goes_through_one_door() -> None:
    """Vectors may be multiplied by `inner`, matrices by `product` and `combined`."""
    source = Path(dpcompose.__file__).parent
    files = [path for room in ROOMS for path in (source / room).rglob("*.py")]
    assert len(files) > 100
    short = {"laplace_by_count.py"}  # tables of a few dozen places
    assert not [
        path.name
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and path.name not in short
    ]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs the processor time of single threads")
def test_other_threads_have_nothing_to_do() -> None:
    """Ticks of processor time, of which those who wait for a product would take as many as who asks."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    run = subprocess.run([sys.executable, "-c", ASKED], check=True, capture_output=True, text=True, env=environment)
    theirs, ours = map(int, run.stdout.split())
    assert theirs <= 2 + ours // 10

"""One precision for all threads, and nobody finds another's: neither in an answer nor in a draw."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import flint
import numpy as np
import pytest

import dpcompose
from dpcompose.numerics.enclosure import ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.prove.claims import known
from dpcompose.release.sampling.lookup import bracket
from shared import shared
from wild import Late, limited, made

SOURCE = Path(dpcompose.__file__).parent
ALONE = SOURCE / "ledger" / "verify"
"""The verifier shares no code with anything; it runs in a process of its own."""


def together(*tasks: Callable[[], Any]) -> list[BaseException]:
    """Run tasks at the same time, switching between them as often as can be; what went wrong."""
    wrong: list[BaseException] = []
    start = threading.Barrier(len(tasks))

    def run(task: Callable[[], Any]) -> None:
        start.wait()
        try:
            task()
        except BaseException as error:  # noqa: BLE001 - it is reported
            wrong.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    return wrong


def test_the_precision_of_a_thread_is_its_own_and_is_set_back() -> None:
    def asking(bits: int) -> Callable[[], None]:
        def ask() -> None:
            for _ in range(300):
                with ctx.workprec(bits):
                    assert ctx.prec == flint.ctx.prec == bits
                    with ctx.workprec(2 * bits):
                        assert flint.ctx.prec == 2 * bits
                    assert flint.ctx.prec == bits

        return ask

    before = flint.ctx.prec
    assert not together(*map(asking, (60, 100, 300, 2000)))
    assert flint.ctx.prec == before


def test_answers_and_brackets_are_the_same_beside_other_threads() -> None:
    value = enclose(lambda: ball(2).sqrt().exp())
    ends = bracket(lambda: (-ball(3) / 7).exp(), 400)

    def bracketing() -> None:
        for _ in range(200):
            assert bracket(lambda: (-ball(3) / 7).exp(), 400) == ends

    def enclosing() -> None:
        for _ in range(200):
            assert enclose(lambda: ball(2).sqrt().exp()) == value

    assert not together(bracketing, enclosing, bracketing, enclosing)


def test_what_the_clock_breaks_off_as_it_sets_it_back_is_set_back() -> None:
    """An exception that comes with a signal may come first thing in `__exit__`, of which nothing is done then."""

    class Interrupted(type(ctx.workprec(77))):  # type: ignore[misc] # its class has no public name
        def __exit__(self, *_: object) -> None:
            raise Late

    before = shared()
    with pytest.raises(Late), limited(60.0), Interrupted(77):
        np.seterr(all="raise")
    assert shared() == before

    def entering() -> None:
        with ctx.workprec(77):
            assert flint.ctx.prec == 77

    assert not together(entering, entering)


def test_a_failure_sets_it_back() -> None:
    before = flint.ctx.prec
    with pytest.raises(ZeroDivisionError), ctx.workprec(333):
        _ = 1 // 0
    assert flint.ctx.prec == before

    def entering() -> None:
        with ctx.workprec(77):
            assert flint.ctx.prec == 77

    assert not together(entering, entering)


@pytest.mark.slow
def test_only_one_module_knows_flints_own_precision() -> None:
    def takes_it(path: Path) -> bool:
        tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        return any(
            isinstance(node, ast.ImportFrom) and node.module == "flint" and any(a.name == "ctx" for a in node.names)
            for node in tree
        )

    found = [path for path in SOURCE.rglob("*.py") if not path.is_relative_to(ALONE) and takes_it(path)]
    assert [path.relative_to(SOURCE).as_posix() for path in found] == ["numerics/precision.py"]


@pytest.mark.parametrize("bits", [20, 333])
@pytest.mark.parametrize(
    "of", ["30 * BlackBox(epsilon=0.1, delta=0.001)", "3 * Gaussian(noise_std=2)", "5 * Laplace(scale=3)"]
)
def test_no_claim_depends_on_the_precision_of_the_caller(of: str, bits: int) -> None:
    def said() -> list[tuple[str, float, float]]:
        found = []
        for claim in known(made(of)).profiles():
            with suppress(dpcompose.Declined):
                ends = claim.guarantee.delta(1)
                found.append((claim.theorem.id, ends.lower, ends.upper))
        return found

    usual = said()
    with ctx.workprec(bits):
        assert said() == usual

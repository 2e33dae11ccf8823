"""A mechanism may be given as its text wherever it may be given as an object; what is shown of it reads back."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import dpcompose as dpc
from cases import cases
from dpcompose import curves, filters, ledger, plots, release, spec
from dpcompose.description import Mechanism
from dpcompose.interop.convert import write
from strategies import compositions

TEXT = "3 * Laplace(scale=10) + Gaussian(noise_std=20)"
PLAN = 3 * dpc.Laplace(scale=10) + dpc.Gaussian(noise_std=20)
DELTA = Fraction(1, 10**6)
OTHERS: dict[str, dict[str, Any]] = {
    "beta": {"alpha": Fraction(1, 10)},
    "boundaries": {"epsilons": (0, 1)},
    "compare": {"delta": DELTA},
    "delta": {"epsilon": 1},
    "epsilon": {"delta": DELTA},
    "family": {"counts": (1, 2), "tolerance": 0.1},
    "growth": {"counts": (1, 2)},
    "judge": {"epsilon": 1, "delta": DELTA},
    "overlay": {"reached": None},
    "profile": {"epsilons": (0, 1)},
    "region": {"tolerance": 0.1},
    "remaining": {"epsilon": 3, "delta": DELTA},
    "renyi": {"order": 2},
    "renyi_curve": {"orders": (2, 3)},
    "tangents": {"epsilons": (0,)},
    "tpr": {"fpr": Fraction(1, 10)},
    "tradeoff": {"alphas": (0.1, 0.5)},
    "witness": {"epsilon": Fraction(1, 100), "delta": DELTA},
}
"""What else the functions need."""


def askable() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    """Every public function about a mechanism, with the names of the parameters that take one."""
    for module, names in ((dpc, dpc.__all__), (plots, plots.__all__), (curves, curves.__all__)):
        for name in names:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                given = inspect.signature(thing).parameters.values()
                taken = [p.name for p in given if re.search(r"\b(Mechanism|Subject)\b", str(p.annotation))]
                if taken:
                    yield name, thing, taken


ASKABLE = {name: (function, taken) for name, function, taken in askable()}


def test_there_are_such_functions() -> None:
    assert len(ASKABLE) >= 20
    assert OTHERS.keys() <= ASKABLE.keys()


@pytest.mark.parametrize("name", sorted(ASKABLE))
def test_every_parameter_that_takes_a_mechanism_takes_a_text(name: str) -> None:
    function, taken = ASKABLE[name]
    said = inspect.signature(function).parameters
    assert {said[parameter].annotation for parameter in taken} <= {"Subject", "Subject | None"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ASKABLE.keys() - {"overlay"}))
def test_a_text_is_answered_like_the_mechanism(name: str) -> None:
    function, taken = ASKABLE[name]
    more = OTHERS.get(name, {})
    by_text, by_object = (function(**dict.fromkeys(taken, given), **more) for given in (TEXT, PLAN))
    assert str(by_text) == str(by_object)


@pytest.mark.parametrize("name", sorted(ASKABLE.keys() - {"overlay"}))
@pytest.mark.parametrize("given", [5, None, ("Laplace", 1)])
def test_anything_else_is_refused_by_its_name(name: str, given: object) -> None:
    function, taken = ASKABLE[name]
    with pytest.raises(dpc.InvalidParameter, match=f"(?:{'|'.join(taken)}) = .*a mechanism such as"):
        function(**dict.fromkeys(taken, given), **OTHERS.get(name, {}))


@pytest.mark.parametrize(
    "name, number",
    [("beta", "alpha"), ("delta", "epsilon"), ("epsilon", "delta"), ("renyi", "order"), ("tpr", "fpr")],
)
def test_a_text_is_neither_a_number_nor_a_list_of_them(name: str, number: str) -> None:
    with pytest.raises(dpc.InvalidParameter, match=f"^{number} = '0.25' is not allowed"):
        getattr(dpc, name)(PLAN, "0.25")


def test_a_text_that_cannot_be_read_is_refused_like_a_document() -> None:
    with pytest.raises(dpc.InvalidDocument, match="Laplac"):
        dpc.epsilon("Laplac(scale=10)", delta=DELTA)
    with pytest.raises(dpc.DPError):  # a text is never the name of a file
        dpc.epsilon("plan.toml", delta=DELTA)


def test_what_is_written_may_be_given_as_a_text_and_must_be_a_mechanism() -> None:
    assert spec.dumps(TEXT) == spec.dumps(PLAN)
    assert spec.to_document(TEXT) == spec.to_document(PLAN)
    for write_down in (spec.dumps, spec.to_document):
        with pytest.raises(dpc.InvalidParameter, match=r"^mechanism = 3 is"):
            write_down(3)
    with pytest.raises(dpc.InvalidDocument, match="3 is none"):
        spec.loads(3)


def test_a_text_with_a_question_mark_is_calibrated() -> None:
    limit = {"epsilon": 1, "delta": DELTA}
    by_text = dpc.calibrate("100 * Gaussian(noise_std=?)", **limit)
    by_function = dpc.calibrate(lambda s: 100 * dpc.Gaussian(noise_std=s), **limit)
    assert by_text.answer.upper <= 1e-6
    assert abs(float(by_text) - float(by_function)) <= 1e-5 * float(by_function)
    with pytest.raises(dpc.InvalidDocument):
        dpc.calibrate("100 * Gaussian(noise_std=2)", **limit)


def test_running_totals_and_budgets_take_texts(tmp_path: Path) -> None:
    assert dpc.online().add(TEXT).plan == dpc.online().add(PLAN).plan
    counted = [dpc.odometer(delta=DELTA).add(plan) for plan in (TEXT, PLAN)]
    assert counted[0].spent == counted[1].spent
    book = filters.filter_of("zcdp", epsilon=2, delta=DELTA)
    assert book.cost(TEXT) == book.cost(PLAN)
    assert book.remaining(book.nothing, TEXT) == book.remaining(book.nothing, PLAN)
    allowances = [release.Allowance(epsilon=2, delta=DELTA, filter="zcdp") for _ in range(2)]
    for allowance, plan in zip(allowances, (TEXT, PLAN), strict=True):
        allowance.check(plan)
        allowance.spend(plan)
    assert allowances[0].spent == allowances[1].spent
    with ledger.open(f"sqlite:///{tmp_path}/book.db", state=tmp_path) as books:
        accounts = [books.create(name, epsilon=2, delta=DELTA, unit="user") for name in ("text", "object")]
        quotes = [account.quote(plan) for account, plan in zip(accounts, (TEXT, PLAN), strict=True)]
        assert str(quotes[0]).replace("text", "object") == str(quotes[1])
        accounts[0].spend(TEXT)
    assert write(TEXT, "expression") == write(PLAN, "expression")


@cases(60)
@given(compositions())
def test_what_is_shown_of_a_mechanism_reads_back(plan: dpc.Composition) -> None:
    assert spec.loads(repr(plan)) == plan
    assert repr(plan) == spec.dumps(plan)
    for part, _ in plan.parts:
        assert spec.loads(repr(part)) == part


def test_a_mechanism_that_has_no_document_is_shown_all_the_same() -> None:
    class Foreign(Mechanism):
        adjacency = None

    assert "Foreign" in repr(Foreign())

"""Budgets: caps fixed at the start, one unit, relation and dataset, never overspent, also by threads."""

from __future__ import annotations

import json
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.filters import filter_of
from dpcompose.release import Allowance, Charge, Plan

HEAD = "[budget]\nepsilon = 1\ndelta = 1e-6\n"
FRAME = pl.DataFrame({"user": [1, 2, 2], "device": [1, 2, 3]})
GRAPH: dict[str, Any] = {"vertices": 50, "eta": 0.5, "nu": 0.1, "epsilon": 0.1, "delta": 1e-7}


def written(folder: Path, text: str = HEAD, name: str = "plan.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# --------------------------------------------------------------------------------------- caps, not a frontier


@pytest.mark.parametrize("leak", [0, Fraction(1, 10**7)])
def test_an_analyst_cannot_trade_delta_for_rho_after_looking(leak: Any, tmp_path: Path) -> None:
    cap = filter_of("zcdp", epsilon=1, delta=1e-6, leak=leak).caps[0]
    gaussian, shame = dpc.BlackBox(rho=Fraction(6, 10) * cap), dpc.NameAndShame(delta=9.99e-7)
    plan = written(tmp_path, f"{HEAD}filter = 'zcdp'\nleak = '{leak}'\n")
    for book in (Allowance(epsilon=1, delta=1e-6, filter="zcdp", leak=leak), Plan(plan, "user")):
        book.spend(gaussian, "first")
        with pytest.raises(release.OverBudget, match="with leak" if not leak else "δ = 9.99e-7"):
            book.spend(shame, "where the loss was low")
        book.spend(dpc.BlackBox(rho=Fraction(39, 100) * cap), "elsewhere")


def test_caps_are_written_at_the_first_charge_and_stay(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEAD}filter = 'zcdp'\nunit = 'user'\n")
    Plan(path, "user").spend(dpc.Gaussian(noise_std=50), "first")
    text = path.read_text(encoding="utf-8")
    assert text.count("[caps]") == 1
    Plan(path, "user").spend(dpc.Gaussian(noise_std=50), "second")
    assert path.read_text(encoding="utf-8").count("[caps]") == 1
    allowance = Plan(path, "user").allowance()
    assert allowance.filter == filter_of("zcdp", epsilon=1, delta=1e-6, adjacency=None)
    assert allowance.used["rho"][0] == Fraction(2, 5000)
    assert allowance.protects.adjacency is dpc.ADD_REMOVE
    written(tmp_path, text.replace('values = ["0.02', 'values = ["0.03'))
    with pytest.raises(dpc.DPError, match="do not prove"):
        Plan(path, "user")


@pytest.mark.parametrize("name", ["basic", "zcdp", "renyi", "gdp"])
def test_every_filter_lives_in_a_file_and_in_memory(name: str, tmp_path: Path) -> None:
    orders = "orders = [8, 16, 32]\n" if name == "renyi" else ""
    path = written(tmp_path, f"{HEAD}filter = '{name}'\n{orders}")
    step = dpc.Gaussian(noise_std=100)
    book, plan = Allowance(epsilon=1, delta=1e-6, filter=name, orders=[8, 16, 32] if orders else None), Plan(path)
    for _ in range(3):
        book.spend(step, "a step")
        plan.spend(step, "a step")
    assert plan.allowance().used == book.used
    assert plan.allowance().guarantee == book.guarantee


# ------------------------------------------------------------------------------------ whom a budget protects


def test_a_plan_for_users_pays_for_nobody_else(tmp_path: Path) -> None:
    path = written(tmp_path)
    book = Plan(path, unit="user")
    release.count(FRAME, unit="user", epsilon=0.1, budget=book)
    before = path.read_text(encoding="utf-8")
    with pytest.raises(dpc.DPError, match="the budget of the unit 'user'"):
        release.count(FRAME, unit="device", epsilon=0.1, budget=book)
    with pytest.raises(dpc.DPError, match=r"'\(every row\)'"):
        release.count(FRAME, unit=release.EVERY_ROW, epsilon=0.1, budget=book)
    with pytest.raises(dpc.DPError, match=r"'\(edge\)'"):
        release.cut_sketch(lambda: pytest.fail("the graph was read"), **GRAPH, budget=book)
    assert path.read_text(encoding="utf-8") == before


def test_a_sketch_and_a_count_under_other_relations_do_not_add_up() -> None:
    goal = {"eta": 0.5, "nu": 0.1, "epsilon": 0.1, "delta": 1e-7}
    book = Allowance(epsilon=1, delta=1e-6)
    release.count(FRAME, unit=release.EVERY_ROW, epsilon=0.1, budget=book)
    with pytest.raises(dpc.AdjacencyMismatch, match="add_remove"):
        release.covariance_sketch(np.ones((3, 2)), **goal, budget=book, adjacency=dpc.REPLACE_ONE)
    release.covariance_sketch(np.ones((3, 2)), **goal, budget=book, adjacency=dpc.ADD_REMOVE)
    price = release.sketches.covariance_price(**goal, adjacency=dpc.REPLACE_ONE)
    assert price.mechanism.adjacency is price.by_renyi().adjacency is dpc.REPLACE_ONE
    with pytest.raises(dpc.AdjacencyMismatch, match="neighbouring relations"):
        price.mechanism + dpc.Laplace(scale=1)


@pytest.mark.parametrize("make", ["memory", "file"])
def test_a_book_of_one_dataset_refuses_another(make: str, tmp_path: Path) -> None:
    memory = make == "memory"
    book = Allowance(epsilon=1, dataset="census") if memory else Plan(written(tmp_path), "user", dataset="census")
    book.spend(Charge(dpc.Laplace(scale=10), "ours", dataset="census"))
    with pytest.raises(dpc.DPError, match="the dataset 'census', and theirs is for the dataset 'taxes'"):
        book.spend(Charge(dpc.Laplace(scale=10), "theirs", dataset="taxes"))
    if isinstance(book, Plan):
        with pytest.raises(dpc.DPError, match="'taxes'"):
            Plan(book.path, "user", dataset="taxes")


def test_what_is_not_stated_is_that_of_the_first_charge() -> None:
    book = Allowance(epsilon=1)
    book.spend(Charge(dpc.BlackBox(epsilon=0.1), "first", "user", dpc.REPLACE_ONE, "census"))
    assert book.protects == release.charge.Protects("user", dpc.REPLACE_ONE, "census")
    for other in (
        Charge(dpc.BlackBox(epsilon=0.1), unit="house"),
        Charge(dpc.BlackBox(epsilon=0.1), dataset="taxes"),
        Charge(dpc.Laplace(scale=10)),
    ):
        with pytest.raises(dpc.DPError, match="does not add up"):
            book.spend(other)
    assert book.used["epsilon"][0] == Fraction(1, 10)


def test_a_charge_agrees_with_its_mechanism() -> None:
    assert Charge(dpc.Laplace(scale=1)).adjacency is dpc.ADD_REMOVE
    with pytest.raises(dpc.AdjacencyMismatch):
        Charge(dpc.Laplace(scale=1), adjacency=dpc.REPLACE_ONE)
    with pytest.raises(dpc.InvalidParameter, match="a mechanism"):
        Charge("Laplace(scale=1)")  # type: ignore[arg-type]
    with pytest.raises(dpc.InvalidParameter, match="unit"):
        Charge(dpc.Laplace(scale=1), unit="")


# --------------------------------------------------------------------------------------------- threads, speed


@pytest.mark.slow
def test_eight_threads_never_overspend() -> None:
    """Sixty rounds: eight threads ask ten times each for a tenth of what fits ten of them."""
    for _ in range(60):
        book, start, granted = Allowance(epsilon=1, delta=1e-6, filter="zcdp"), threading.Barrier(8), []
        assert book.filter is not None
        tenth = dpc.BlackBox(rho=book.filter.caps[0] / 10 - Fraction(1, 10**12))

        def ask(book: Any = book, start: Any = start, granted: Any = granted, tenth: Any = tenth) -> None:
            start.wait()
            for _ in range(10):
                try:
                    book.spend(tenth, "a tenth")
                except release.OverBudget:
                    continue
                granted.append(1)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(granted) == 10
        assert all(spent <= cap for spent, cap in book.used.values())


@pytest.mark.parametrize("filter_", ["basic", "zcdp"])
def test_a_spend_against_many_charges_is_quick(filter_: str, tmp_path: Path) -> None:
    """150 different Gaussian charges of releases; reading, proving and writing one more takes well under a second."""
    entries = "".join(
        f"[[spent]]\nmechanism = 'DiscreteGaussian(noise_std={900 + i}.5)'\npurpose = 'number {i}'\n"
        for i in range(150)
    )
    delta = "1e-6" if filter_ == "zcdp" else "0.1"
    path = written(tmp_path, f"[budget]\nepsilon = 10\ndelta = {delta}\nfilter = '{filter_}'\n{entries}")
    if filter_ == "basic":  # what was written down is not proved again
        cost = 'cost = ["0.01", "1e-5"]\n'
        path.write_text(path.read_text(encoding="utf-8").replace("purpose", f"{cost}purpose"), encoding="utf-8")
    book = Plan(path, "user")
    before = time.process_time()
    book.spend(dpc.DiscreteGaussian(noise_std=800), "one more")
    assert time.process_time() - before < 1


# ------------------------------------------------------------------------------------------ files that lie


def test_a_name_that_stands_twice_forgets_nothing(tmp_path: Path) -> None:
    entry = json.dumps({"mechanism": "BlackBox(epsilon=0.9)"})
    text = f'{{"budget": {{"epsilon": 1, "delta": 0}}, "spent": [{entry}], "spent": []}}'
    path = written(tmp_path, text, "plan.json")
    with pytest.raises(dpc.InvalidDocument, match="'spent' stands twice"):
        Plan(path, "user")


@pytest.mark.parametrize(
    "text, words",
    [
        ("filter = 'pld'\n", "basic or zcdp or renyi or gdp"),
        ("filter = 'zcdp'\nleak = 1e-6\n", "more than the leak"),
        ("adjacency = 'both'\n", "add_remove or replace_one"),
        ("adaptivity = 'ADAPTIVE'\nleak = 0\n", "nothing beside ADAPTIVE"),
        ("[caps]\nfilter = 'zcdp'\nvalues = [1]\n", "another in its caps"),
        ("[caps]\nvalues = 3\n", "list of numbers"),
        ("[caps]\nvalues = [1]\n", "one number, not negative, for each"),
        ("[caps]\nlimit = 3\n", "says 'limit'"),
        ("[[spent]]\nmechanism = 'BlackBox(epsilon=1)'\ncost = ['-1', '0']\n", "none negative"),
        ("[[spent]]\nmechanism = 'BlackBox(epsilon=1)'\ncost = ['1']\n", "a cost has 2 numbers"),
        ("unit = 'user'\n[caps]\nunit = 'house'\nvalues = [1, '1e-6']\n", "the budget of the unit 'user'"),
    ],
)
def test_a_file_that_cannot_be_kept_is_refused_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(dpc.DPError, match=words) as refusal:
        Plan(written(tmp_path, HEAD + text), "user")
    assert "\n" not in str(refusal.value)


def test_three_counts_at_a_tenth_fit_into_three_tenths():
    table = pd.DataFrame({"user": range(10)})
    book = release.Allowance(epsilon=0.3)
    for _ in range(3):
        release.count(table, unit="user", epsilon=0.1, budget=book)
    with pytest.raises(release.OverBudget):
        release.count(table, unit="user", epsilon=0.1, budget=book)

"""A refusal does not pay for an answer: what each loads is counted, and never timed."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import dpcompose

PACKAGE = Path(dpcompose.__file__).parent
COUNT = """
import contextlib, io, json, sys
from dpcompose.cli import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    code = run(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""
ENGINE = {"numpy", "scipy", "dpcompose.theorems", "dpcompose.prove", "dpcompose.inversion", "dpcompose.report"}
EXTRAS = {"matplotlib", "pandas", "polars", "duckdb", "pyarrow", "sqlalchemy", "fastapi", "pydantic", "rich", "typer"}


def loaded(*arguments: str) -> tuple[int, set[str]]:
    ran = subprocess.run([sys.executable, "-c", COUNT, *arguments], capture_output=True, text=True, check=True)
    code, modules = json.loads(ran.stdout.splitlines()[-1])
    return code, set(modules)


def own(modules: set[str]) -> int:
    return sum(name.split(".")[0] == "dpcompose" for name in modules)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, most",
    [
        (("epsilonn",), 14),
        (("epsilon", "Gaussian(noise_std=2)", "--delt", "0"), 14),
        (("epsilon", "Gausian(noise_std=2)", "--delta", "0"), 38),
        (("epsilon", "Gaussian(sigma=2)", "--delta", "0"), 46),
        (("epsilon", "30 * Gaussian(noise_std=2)", "--delta", "1%"), 46),
        (("compare", "Laplace(scale=1)"), 46),
        (("region", "Gaussian(sigma=2)"), 46),
        (("calibrate", "Gaussian(sigma=?)", "--epsilon", "1", "--delta", "0"), 46),
        (("ledger", "quote", "city", "Gaussian(sigma=2)", "--store", "sqlite:///none.db"), 46),
    ],
)
def test_a_refusal_loads_little(arguments: tuple[str, ...], most: int) -> None:
    code, modules = loaded(*arguments)
    assert code == 2
    assert not modules & (ENGINE | EXTRAS)
    assert own(modules) <= most
    assert len(modules) <= 260


OTHERS = ("regions", "calibration", "release", "ledger", "audit", "interop", "referee", "plots", "curves", "advice")
UNASKED = {
    "1000 * Sampled(Gaussian(noise_std=1.1), rate=0.01)": """
        scipy exact.binomial exact.finite exact.laplace inversion.growing inversion.line.in_balls
        inversion.line.kept_line inversion.line.smoothed_in_balls inversion.renyi mechanisms.batches
        mechanisms.black_box mechanisms.correlated
        mechanisms.exponential report.latex report.pages report.proof theorems.approx.closed_forms
        theorems.approx.optimal theorems.batches theorems.loss.discrete_noise
        theorems.loss.exact_sums theorems.renyi theorems.sampling.any_profile
        theorems.sampling.fixed_size theorems.zcdp""",
    "30 * Laplace(scale=10)": """
        scipy inversion.entry inversion.few_steps inversion.line inversion.profiles mechanisms.batches report.latex
        report.pages theorems.batches""",
    "100 * Gaussian(noise_std=20)": """
        scipy exact.finite inversion.few_steps inversion.line inversion.profiles theorems.batches theorems.sampling""",
    "30 * BlackBox(epsilon=0.1, delta=0.001)": """
        scipy inversion.line inversion.profiles mechanisms.batches theorems.batches theorems.sampling""",
}
"""What must not be loaded for an answer to these."""


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", UNASKED)
def test_an_answer_loads_what_it_needs(mechanism: str) -> None:
    code, modules = loaded("epsilon", mechanism, "--delta", "0.05" if "BlackBox" in mechanism else "1e-6")
    assert code == 0
    assert not modules & EXTRAS
    assert not {f"dpcompose.{name}" for name in OTHERS} & modules
    assert not {name for name in UNASKED[mechanism].split() if name in modules or f"dpcompose.{name}" in modules}
    assert own(modules) <= 133


def test_what_must_not_be_loaded_is_there_to_be_loaded() -> None:
    """A name that is gone would pass every test."""
    named = {name for names in UNASKED.values() for name in names.split()} - {"scipy"}
    assert not {name for name in named if importlib.util.find_spec(f"dpcompose.{name}") is None}


def test_a_release_that_is_refused_loads_neither_scipy_nor_a_search() -> None:
    code, modules = loaded("release", "medain", "people.csv", "--unit", "id", "--epsilon", "1")
    assert code == 2
    assert not modules & (EXTRAS | {"scipy", "dpcompose.calibration", "dpcompose.release.sketches"})


def test_help_loads_no_arithmetic() -> None:
    code, modules = loaded("--help")
    assert code == 0
    assert not modules & (ENGINE | EXTRAS | {"flint"})


@pytest.mark.parametrize("package", ["mechanisms", "app", "inversion", "report", "release"])
def test_what_is_loaded_late_is_what_type_checkers_see(package: str) -> None:
    """The names are said twice, once for type checkers: both times the same."""
    tree = ast.parse((PACKAGE / package / "__init__.py").read_text(encoding="utf-8"))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    prefix = f"dpcompose.{package}."
    seen = {
        alias.name: node.module.removeprefix(prefix)
        for node in guarded.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(prefix)
        for alias in node.names
    }
    homes = importlib.import_module(f"dpcompose.{package}").HOMES
    late = homes if package == "mechanisms" else {name: file for file, names in homes.items() for name in names}
    assert seen == late


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    for package in ("dpcompose", "dpcompose.mechanisms", "dpcompose.app", "dpcompose.report"):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            importlib.import_module(package).nothing  # noqa: B018 - the question

"""The command line: what it prints, what it refuses, and how it leaves."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from dpcompose import cli
from dpcompose.cli import commands
from dpcompose.errors import Contradiction, Declined, DPError, NotProvable

BOXES = "30 * BlackBox(epsilon=0.1, delta=0.001)"
GOLDEN = """\
30 * BlackBox(epsilon=0.1, delta=0.001)
δ = 0.05

ε ∈ [0.846302, 0.846303]
because KOV-3.3 ← SM-UV (KOV15 Thm. 3.3)
"""
NAMES = ["epsilon", "delta", "compare", "renyi", "growth", "profile", "calibrate", "explain"]
NAMES += ["region", "check", "beta", "risk", "audit", "formula", "theorems", "document", "schema"]
NAMES += ["mechanisms", "budget", "release", "advise", "convert", "referee", "completion"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_epsilon(run) -> None:
    assert run("epsilon", BOXES, "--delta", "0.05") == (0, GOLDEN, "")


def test_the_same_plan_from_a_file_and_from_standard_input(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, document, _ = run("document", BOXES)
    plan = tmp_path / "plan.json"
    plan.write_text(document)
    assert (code, json.loads(document)["schema"]) == (0, "dpc.mechanism/1")
    assert run("epsilon", str(plan), "--delta", "1/20")[1] == GOLDEN
    for text in (document, BOXES):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        assert run("epsilon", "-", "--delta", "5e-2")[1] == GOLDEN


def test_json(run) -> None:
    code, out, _ = run("epsilon", BOXES, "--delta", "0.05", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["mechanism"], found["delta"], found["question"]) == (BOXES, "0.05", "ε")
    assert 0.846302 < found["lower"] <= found["upper"] < 0.846303
    assert json.loads(run("delta", BOXES, "--epsilon", "1/3", "--json")[1])["epsilon"] == "1/3"
    assert json.loads(run("renyi", BOXES, "--order", "2", "--json")[1])["upper"] == "inf"
    assert json.loads(run("compare", BOXES, "--delta", "0.05", "--json")[1])["schema"] == "dpc.comparison/1"
    assert json.loads(run("theorems", "KOV-3.4", "--json")[1])["theorems"][0]["id"] == "KOV-3.4"
    assert json.loads(run("schema")[1])["$id"] == "dpc.mechanism/1"


def test_what_bounds_from_below_does_not_decline(run) -> None:
    plan = "100 * Gaussian(noise_std=2)", "--delta", "1e-5"
    short, whole = run("compare", *plan)[1], run("compare", *plan, "--all")[1]
    assert "From below only: RDP-BELOW." in short
    assert "RDP-BELOW" not in short.partition("more decline:")[2]
    assert "bounds from below only: ε ≥ " in whole.partition("from below only")[2].partition("declined")[0]
    assert re.search(r"X-LINE +33\.1038 +1 ", whole)  # no fourth digit for what six do not show


def test_compare(run, tmp_path: Path) -> None:
    code, out, _ = run("compare", BOXES, "--delta", "0.05")
    assert code == 0
    assert re.search(r"^\* KOV-3\.3 +0\.846303 +1 ", out, re.MULTILINE)
    assert re.search(r"^  KOV-3\.1 +3 +3\.545 ", out, re.MULTILINE)
    assert "decline: BR-FIXED, BR-SERIES, MIR-C1," in " ".join(out.split())
    whole = run("compare", BOXES, "--delta", "0.05", "--all")[1]
    assert re.search(r"^  MIR-C1 +needs steps with δ = 0$", whole, re.MULTILINE)
    page = tmp_path / "page.html"
    assert run("compare", BOXES, "--delta", "0.05", "--html", str(page)) == (0, "", f"dpcompose: wrote {page}\n")
    assert "KOV-3.3" in page.read_text(encoding="utf-8")
    assert run("compare", BOXES, "--epsilon", "1", "--csv")[1].startswith("theorem,lower,upper")


def test_formula(run) -> None:
    assert "MIR-P4" in run("formula")[1]
    assert "inputs" in run("formula", "MIR-P4")[1]
    assert "exponent_sharp ∈ [5.93789, 5.9379]" in run("formula", "MIR-P4", "n=100", "eps=0.1", "Q=1e-9")[1]
    code, out, _ = run("formula", "BASIC", "eps_list=[0.1, 1/3]", "delta_list=[0, 0]")
    assert (code, "13/30" in out) == (0, True)


def test_theorems(run) -> None:
    assert "homogeneous closed form" in run("theorems", "KOV-3.4")[1]
    assert "KOV-3.4" in run("theorems", "kairouz")[1]
    assert run("theorems", "DRV-3.20")[1].startswith("KOV-3.2: ")


def test_explain(run) -> None:
    out = run("explain", BOXES, "--delta", "0.05")[1]
    assert "SM-UV: black box is leaky response (KOV15 Thm. 2.5, 3.3)" in out
    assert run("explain", BOXES, "--delta", "0.05", "--bibtex")[1].startswith("@misc{KOV15,")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["epsilon", BOXES, "--delta", "nan"], "delta = nan is not allowed: expected a number from 0 to 1."),
        (["epsilon", BOXES, "--delta", "inf"], "delta = inf is not allowed"),
        (["epsilon", BOXES, "--delta", "-1"], "delta = -1 is not allowed"),
        (["epsilon", BOXES, "--delta", "1.5"], "delta = 1.5 is not allowed"),
        (["epsilon", BOXES, "--delta", "1e999999999"], "delta = 1e999999999 is not allowed"),
        (["epsilon", BOXES, "--delta", "one"], "delta = one is not allowed"),
        (["epsilon", BOXES, "--delta", ""], "is not allowed"),
        (["epsilon", BOXES, "--delta", "0.1", "--tolerance", "-1"], "tolerance = -1 is not allowed"),
        (["epsilon", BOXES], "epsilon needs --delta, such as --delta 1e-6."),
        (["epsilon", "--delta", "0.1"], "epsilon needs MECHANISM, such as '30 * Gaussian(noise_std=2)', in quotes."),
        (["delta", BOXES, "--epsilon", "-0.5"], "epsilon = -0.5 is not allowed"),
        (["renyi", BOXES, "--order", "0.5"], "order = 0.5 is not allowed"),
        (["epsilon", "1.5 * Laplace(scale=1)", "--delta", "0"], "count (column 1) = 1.5 is not allowed"),
        (["epsilon", "Laplac(scale=1)", "--delta", "0"], "did you mean Laplace?"),
        (["epsilon", "Laplace(skale=1)", "--delta", "0"], "did you mean scale?"),
        (["epsilon", "Laplace(scale=1) + Laplace(scale=1, adjacency=REPLACE_ONE)", "--delta", "0"], "relations"),
        (["epsilon", "missing.toml", "--delta", "0"], "The file 'missing.toml' cannot be read"),
        (["epsilon", "", "--delta", "0"], "empty"),
        (["compare", BOXES], "exactly one of the two"),
        (["compare", BOXES, "--epsilon", ""], "epsilon = "),
        (["compare", BOXES, "--delta", "0", "--epsilon", "0"], "exactly one of the two"),
        (["compare", BOXES, "--delta", "0.5", "--json", "--csv"], "at most one of them"),
        (["compare", BOXES, "--delta", "0.5", "--html", "no/such/folder/x.html"], "cannot be written"),
        (["explain", BOXES], "exactly one of the two"),
        (["formula", "MIR-P5", "n=1"], "MIR-P4"),
        (["formula", "MIR-P4", "n"], "NAME=VALUE"),
        (["formula", "MIR-P4", "n=1.5", "eps=0.1", "Q=0"], "n = "),
        (["formula", "BASIC", "eps_list=[Laplace(scale=1)]", "delta_list=[0]"], "numbers, or lists of them"),
        (["theorems", "no such theorem"], "pattern = 'no such theorem' is not allowed"),
        (["sing"], "There is no command 'sing'"),
        (["epsilon", BOXES, "--loud"], "epsilon has no option --loud: it has --delta, --tolerance, --digits, --json."),
    ],
)
def test_a_refusal_is_one_sentence_and_exit_code_2(run, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert err.startswith("dpcompose: ")


@pytest.mark.parametrize(
    "error, code",
    [
        (DPError("x"), 2),
        (Declined("x"), 2),
        (NotProvable("x", ["y"]), 2),
        (Contradiction("x"), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_every_error_has_its_exit_code(run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int) -> None:
    def fails(_arguments: object) -> int:
        raise error

    monkeypatch.setattr(commands, "call", fails)
    found, _, err = run("epsilon")
    assert found == code
    assert ("report" in err) == (code == 3)


def test_a_missing_extra_is_said_kindly(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "dpcompose.cli.commands")
    monkeypatch.delattr(cli, "commands")
    monkeypatch.setitem(sys.modules, "click", None)
    code, _, err = run("--help")
    assert code == 2
    assert "pip install 'dpcompose[cli]'" in err


def test_help(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run()
    assert code == 0
    assert run("--help")[1].split() == out.split()
    for name in NAMES:
        assert f"\n  {name} " in out
        helped = run(name, "--help")[1]
        assert f"  dpcompose {name}" in helped
        assert max(map(len, helped.splitlines())) <= 80
    assert run("--version")[1] == f"dpcompose {version('dpcompose')}\n"


def test_the_manual_names_every_command_and_option() -> None:
    manual = cli.reference()
    assert manual.startswith("# Command line\n")
    for name in NAMES:
        assert f"## `dpcompose {name}`" in manual
    assert "| `--bibtex` |" in manual
    assert "\b" not in manual
    assert cli.app is commands.app


def program(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dpcompose", *arguments]
    options = {"env": os.environ, **options}  # without what readline adds behind Python's back: a width
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]


@pytest.mark.slow
def test_the_program_itself() -> None:
    ran = program("epsilon", BOXES, "--delta", "0.05", env={**os.environ, "COLUMNS": "80"})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, GOLDEN, "")
    refused = program("epsilon", "9 * Gaussian(noise_std=x)", "--delta", "0.1")
    assert refused.returncode == 2
    assert refused.stderr == (
        "dpcompose: noise_std (column 24) = x is not allowed: expected a number from 0 to 1e150.\n"
    )


@pytest.mark.slow
def test_a_terminal_without_greek_and_a_reader_that_leaves() -> None:
    plain = program("epsilon", BOXES, "--delta", "0.05", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert plain.returncode == 0
    assert "epsilon in [0.846302, 0.846303]" in plain.stdout
    assert "because KOV-3.3 <- SM-UV" in plain.stdout
    table = program("compare", BOXES, "--delta", "0.05", env={**os.environ, "PYTHONIOENCODING": "ascii"}).stdout
    rows = [line for line in table.splitlines() if line.startswith(("  theorem", "* KOV", "  RDP", "  KOV"))]
    assert len({re.match(r"..\S+ +\S+(?: <=)? +\S+(?: best)?  ", row).end() for row in rows}) == 1
    assert max(map(len, table.splitlines())) <= 80
    command = f"{sys.executable} -c 'from dpcompose.cli import main; main()' theorems --json | true"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert ran.stderr == ""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_a_person_sees_some_weight_and_the_same_words() -> None:
    import pty

    reader, writer = pty.openpty()
    command = [sys.executable, "-c", "from dpcompose.cli import main; main()", "compare", BOXES, "--delta", "0.05"]
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=writer, env=environment) as process:
        os.close(writer)
        seen = b""
        try:
            while piece := os.read(reader, 65536):
                seen += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(reader)
    assert process.returncode == 0
    shown = seen.decode().replace("\r\n", "\n")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b[1" in shown
    assert plain == program("compare", BOXES, "--delta", "0.05").stdout
    assert max(map(len, plain.splitlines())) <= 80

"""What a newcomer calls first: lists, what is left of a plan, completion, and the words for whoever lacks Greek."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dpcompose as dpc
from dpcompose.cli import frame
from dpcompose.mechanisms import HOMES, every

PLAN = """\
[budget]
epsilon = 1
delta = {delta}
unit = "user"
filter = "{filter}"
[[spent]]
mechanism = "5 * Laplace(scale={scale})"
"""
BASIC = PLAN.format(filter="basic", delta=0, scale=10)
CONCENTRATED = PLAN.format(filter="zcdp", delta="1e-6", scale=40)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*frame.FORMERLY, *(name for names in frame.HOMES.values() for name in names)])
def test_every_command_is_the_first_one_of_a_process(name: str) -> None:
    """What another command has loaded before is no help to it."""
    words = [sys.executable, "-c", "from dpcompose.cli import main; main()", name, "--help"]
    said = subprocess.run(words, check=False, capture_output=True, text=True, encoding="utf-8")
    assert (said.returncode, said.stderr) == (0, "")
    assert f"dpcompose {name}" in said.stdout


def test_an_old_name_is_not_listed(run) -> None:
    assert not [name for name in frame.FORMERLY if f"  {name} " in run("--help")[1]]


def test_mechanisms_are_listed_and_told(run, told) -> None:
    listed = run("mechanisms")[1]
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "][1:]
    assert names == sorted([*HOMES, "Composition"])
    one = run("mechanisms", "gaussian")[1]
    assert one.startswith("Gaussian(noise_std=…)\n")
    assert "noise_std    must be given  σ: a number from 0 to 1e150" in one
    code, _, err = run("mechanisms", "normal")
    assert (code, "did you mean Gaussian?" in err) == (2, True)
    assert {kind["name"] for kind in told("mechanisms")["mechanisms"]} == {*HOMES, "Composition"}


def test_every_exported_mechanism_is_public() -> None:
    assert all(getattr(dpc, name) is kind for name, kind in every().items())


@pytest.mark.parametrize("text", [BASIC, CONCENTRATED], ids=["basic", "zcdp"])
def test_a_budget_says_what_is_left_and_what_would_fit(run, told, tmp_path: Path, text: str) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(text)
    code, out, _ = run("budget", str(plan))
    assert code == 0
    assert "'plan.toml' hides one 'user' at ε = 1 and δ = 0" in out
    assert "1 charge so far" in out
    found = told("budget", str(plan), "Laplace(scale=10)")
    fits = found["fits"]
    if text == BASIC:
        assert found["coordinates"]["epsilon"] == {"spent": "0.5", "left": "0.5", "cap": "1"}
        assert fits == 5
    from dpcompose.release import OverBudget, Plan

    left = Plan(plan, "user").allowance()
    left.check(fits * dpc.Laplace(scale=10))
    with pytest.raises(OverBudget):
        left.check((fits + 1) * dpc.Laplace(scale=10))
    assert plan.read_text() == text


def test_the_least_noise_that_fits_is_on_the_edge(run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(BASIC)
    rows = [line.split() for line in run("budget", str(plan))[1].splitlines()]
    assert ["1", "2", "–"] in rows  # ε = 0.5 is left: a scale of 2, and no δ-free Gaussian
    assert ["10", "20", "–"] in rows


def test_a_plan_and_a_mechanism_are_told_apart(run, tmp_path: Path) -> None:
    plan, mechanism = tmp_path / "plan.toml", tmp_path / "mechanism.toml"
    plan.write_text(BASIC)
    mechanism.write_text('kind = "laplace"\nscale = 2\n')
    assert "`dpcompose budget` reads" in run("epsilon", str(plan), "--delta", "0")[2]
    assert "`dpcompose epsilon` asks" in run("budget", str(mechanism))[2]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_a_shell(run, shell: str) -> None:
    code, out, _ = run("completion", shell)
    assert (code, "_DPCOMPOSE_COMPLETE" in out) == (0, True)
    assert "bash or zsh or fish" in run("completion", "csh")[2]


@pytest.mark.parametrize(
    "words, wanted",
    [
        ("dpcompose eps", "epsilon"),
        ("dpcompose epsilon Gau", "Gaussian("),
        ("dpcompose epsilon x --del", "--delta"),
        ("dpcompose ledger sp", "spend"),
    ],
)
def test_a_shell_completes(words: str, wanted: str) -> None:
    environment = {**os.environ, "_DPCOMPOSE_COMPLETE": "bash_complete", "COMP_WORDS": words}
    environment["COMP_CWORD"] = str(len(words.split()) - 1)
    ran = subprocess.run(
        [sys.executable, "-m", "dpcompose"], capture_output=True, text=True, check=False, env=environment
    )
    assert f"plain,{wanted}" in ran.stdout.split()


READS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}
ASKS = {
    "bash": """
        source "$1"; COMP_WORDS=(dpcompose eps); COMP_CWORD=1; _dpcompose_completion dpcompose
        printf '%s\\n' "${COMPREPLY[@]}" """,
    "fish": """source $argv[1]; complete -C 'dpcompose eps'""",
}
"""How each shell reads a script without running it, and how it is asked what it would complete."""


@pytest.mark.parametrize("shell", [shell for shell in READS if shutil.which(shell)])
def test_a_shell_that_is_here_understands_its_lines(run, shell: str, tmp_path: Path) -> None:
    lines, program = tmp_path / "lines", tmp_path / "dpcompose"
    lines.write_text(run("completion", shell)[1])
    subprocess.run([*READS[shell], str(lines)], check=True, capture_output=True)
    if shell not in ASKS:
        return
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpcompose "$@"\n')
    program.chmod(0o755)
    here = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    asked = [shell, "-c", ASKS[shell], shell, str(lines)] if shell == "bash" else [shell, "-c", ASKS[shell], str(lines)]
    ran = subprocess.run(asked, capture_output=True, text=True, check=True, env=here)
    assert "epsilon" in ran.stdout.split()


def test_a_narrow_terminal_gets_narrow_lines() -> None:
    import pty

    reader, writer = pty.openpty()
    environment = {**os.environ, "COLUMNS": "44", "NO_COLOR": "1", "TERM": "xterm"}
    command = [sys.executable, "-m", "dpcompose", "epsilon", "Gaussian(noise_multiplier=2)", "--delta", "0"]
    with subprocess.Popen(command, stderr=writer, env=environment) as process:
        os.close(writer)
        seen = b""
        try:
            while piece := os.read(reader, 65536):
                seen += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(reader)
    assert process.returncode == 2
    lines = seen.decode().split("\r\n")
    assert len(lines) > 2
    assert max(map(len, lines)) <= 44


def test_json_has_no_notices_on_standard_output(run, tmp_path: Path) -> None:
    code, out, err = run("region", "BlackBox(epsilon=1)", "--out", str(tmp_path / "x.svg"), "--json")
    assert (code, err) == (0, f"dpcompose: wrote {tmp_path / 'x.svg'}\n")
    assert json.loads(out)["schema"] == "dpc.region/1"

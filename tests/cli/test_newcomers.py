"""What newcomers type: each mistake is answered in one short sentence that fits the terminal and names the cure."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from dpcompose import cli

ONE = "Gaussian(noise_std=2)"
AT = ("--delta", "1e-6")
PLAN = '[budget]\nepsilon = 1\ndelta = 0\nunit = "id"\n'
MOST = 560
PYTHON_TALK = re.compile(r"\bNone\b|EVERY_ROW|cards\(\)|Traceback|Error\b|<class|__|\bdict\b|\bstr\b|\bint\(|object at")


def epsilon(expression: str) -> tuple[str, ...]:
    return ("epsilon", expression, *AT)


def asks(*words: str) -> tuple[str, ...]:
    return ("release", *words)


UNIT = ("--unit", "id", "--epsilon", "1")
VALUE = ("--value", "pay", "--types", "pay=float", "--lower", "0", "--upper", "9")
MISTAKES: list[tuple[tuple[str, ...], str]] = [
    # names that other libraries and papers use
    (epsilon("Gaussian(sigma=2)"), "did you mean noise_std?"),
    (epsilon("Gaussian(std=2)"), "did you mean noise_std?"),
    (epsilon("Gaussian(scale=2)"), "did you mean noise_std?"),
    (epsilon("Gaussian(noise_multiplier=2)"), "noise_std, the noise multiplier where the sensitivity is 1"),
    (epsilon("Gaussian(eps=2)"), "`calibrate` finds"),
    (epsilon("Gaussian(noise_std=2, l2_sensitivity=1)"), "did you mean sensitivity?"),
    (epsilon("Laplace(eps=2)"), "scale, which is sensitivity/ε"),
    (epsilon("Laplace(b=2)"), "did you mean scale?"),
    (epsilon("BlackBox(eps=2)"), "did you mean epsilon?"),
    (epsilon("Sampled(Gaussian(noise_std=2), q=0.1)"), "did you mean rate?"),
    (epsilon("Sampled(Gaussian(noise_std=2), sampling_rate=0.1)"), "did you mean rate?"),
    (epsilon("RandomizedResponse(p=0.75)"), "epsilon, which is ln(p/(1-p)) for two answers"),
    (epsilon("gaussian(noise_std=2)"), "did you mean Gaussian?"),
    (epsilon("Normal(noise_std=2)"), "did you mean Gaussian?"),
    (epsilon("Gausian(noise_std=2)"), "did you mean Gaussian?"),
    (epsilon("DPSGD(noise_std=1, rate=0.01)"), "1000 * Sampled(Gaussian(noise_std=1), rate=0.01)"),
    (epsilon("SVT(epsilon=1)"), "did you mean AboveThreshold?"),
    (epsilon("DiscreteLaplace(scale=1)"), "did you mean Geometric?"),
    (epsilon("Nothing(x=1)"), "allowed are "),
    # numbers as people type them
    (("epsilon", ONE, "--delta", "1%"), "1% is written 0.01"),
    (("epsilon", ONE, "--delta", "0,00001"), "0,00001 is written 0.00001"),
    (("epsilon", ONE, "--delta", "10^-6"), "10^-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "10**-6"), "10**-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "1x10^-6"), "1x10^-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "1e"), "with digits after the e"),
    (("epsilon", ONE, "--delta", "2"), "a number from 0 to 1"),
    (("epsilon", ONE, "--delta", "-1e-6"), "a number from 0 to 1"),
    (("epsilon", ONE, "--delta", "tiny"), "a number from 0 to 1"),
    (("delta", ONE, "--epsilon", "−1"), "−1 is written -1"),
    (epsilon("1_000 * Gaussian(noise_std=2)"), "1_000 is written 1000"),
    (epsilon("1,000 * Gaussian(noise_std=2)"), "1,000 is written 1000"),
    (epsilon("Gaussian(noise_std=0,5)"), "0,5 is written 0.5"),
    (epsilon("Gaussian(noise_std=2**2)"), "2**2 is written 4"),
    (epsilon("Gaussian(noise_std='2')"), "'2' is written 2"),
    (epsilon("Gaussian(noise_std=sqrt(2))"), "nothing is computed here"),
    (epsilon("Gaussian(noise_std=-2)"), "a number from 0 to"),
    (epsilon("Gaussian(noise_std=nan)"), "a number from 0 to"),
    (epsilon("Sampled(Gaussian(noise_std=2), rate=1%)"), "1% is written 0.01"),
    (epsilon("0.5 * Gaussian(noise_std=2)"), "a whole number from 0"),
    # expressions
    (epsilon("30 × Gaussian(noise_std=2)"), "times is written *"),
    (epsilon("30 x Gaussian(noise_std=2)"), "times is written *"),
    (epsilon("30Gaussian(noise_std=2)"), "write 30 * Gaussian"),
    (epsilon("Gaussian(2)"), "write noise_std=2"),
    (epsilon("Gaussian"), "such as Gaussian(noise_std=…)"),
    (epsilon("Gaussian()"), "Gaussian needs noise_std"),
    (epsilon("Gaussian noise_std=2"), "parameters stand in parentheses"),
    (epsilon("Gaussian(noise_std: 2)"), "a parameter is given as name=value"),
    (epsilon("Gaussian(noise_std=2; sensitivity=1)"), "parameters are separated by commas"),
    (epsilon("Gaussian(noise_std=2"), "the parenthesis of Gaussian (column 1) is not closed"),
    (epsilon("Gaussian(noise_std=2))"), "this parenthesis was never opened"),
    (epsilon(f"{ONE}, {ONE}"), "joined by +"),
    (epsilon(f"{ONE} {ONE}"), "joined by +"),
    (epsilon(f"{ONE} - {ONE}"), "nothing takes back what was spent"),
    (epsilon(f"{ONE} * {ONE}"), "a product is one mechanism and whole numbers"),
    (epsilon("“30 * Gaussian(noise_std=2)”"), "is written 30"),
    (epsilon(""), "such as Gaussian(noise_std=2)"),
    (("epsilon", "30", "*", ONE, *AT), "put the whole expression in quotes"),
    (epsilon("nowhere.toml"), "cannot be read"),
    (epsilon("plan.toml"), "`dpcompose budget` reads"),
    (epsilon('{"kind": "gaussian", "sigma": 2}'), "did you mean noise_std?"),
    (epsilon('{"kind": "gauss", "noise_std": 2}'), "did you mean gaussian?"),
    (epsilon('{"kind": "gaussian", "noise_std": 2'), "this is not JSON"),
    # commands and options
    (("epsilonn", ONE), "did you mean epsilon?"),
    (("eps", ONE), "did you mean epsilon?"),
    (("count", "people.csv"), "did you mean release count?"),
    ((ONE,), "dpcompose epsilon 'Gaussian(noise_std=2)' --delta 1e-6"),
    (("--delta", "1e-6"), "Options stand behind a command"),
    (("epsilon", ONE), "epsilon needs --delta, such as --delta 1e-6"),
    (("epsilon",), "epsilon needs"),
    (("epsilon", ONE, "--eps", "1"), "give --delta, or ask `dpcompose delta`"),
    (("delta", ONE, "--eps", "1"), "did you mean --epsilon?"),
    (("epsilon", ONE, "--delt", "1e-6"), "did you mean --delta?"),
    (("compare", ONE), "--delta to ask for ε, or --epsilon to ask for δ"),
    (("compare", ONE, *AT, "--epsilon", "1"), "exactly one of the two"),
    (("calibrate", ONE, "--epsilon", "1", *AT), "has no ? where the unknown number stands"),
    (("calibrate", "Gaussian(noise_std=?)", "--epsilon", "1"), "epsilon and delta"),
    (("region", ONE, "--out", "picture.gif"), ".png, .svg, .pdf"),
    (("region", ONE, "--out", "no/such/folder/x.svg"), "there is no such folder"),
    (("growth", ONE, *AT, "--counts", "10:1"), "a range that ends after it begins"),
    (("advise", "--queries", "10"), "advise needs --epsilon"),
    (("formula", "NOPE"), "names that `formula` lists"),
    (("formula", "MIR-P4", "n"), "NAME=VALUE such as eps=0.1"),
    (("mechanisms", "normal"), "did you mean Gaussian?"),
    (("ledger",), "ledger needs one of its commands: init, create"),
    (("ledger", "init"), "--store sqlite:///budget.db"),
    (("budget", "mechanism.toml"), "`dpcompose epsilon` asks"),
    # releases
    (asks("count", "people.csv", "--epsilon", "1"), "--unit COLUMN, whom it hides; or --every-row"),
    (asks("count", "people.csv", "--unit", "id"), "--epsilon, such as --epsilon 0.5"),
    (asks("average", "people.csv", *UNIT), "did you mean mean?"),
    (asks("mean", "people.csv", *UNIT), "--value COLUMN"),
    (asks("median", "people.csv", *UNIT, "--value", "pay"), "`release bounds` suggests them privately"),
    (asks("quantile", "people.csv", *UNIT, *VALUE), "--q 0.5 for the median"),
    (asks("count", "people.csv", *UNIT, "--by", "city"), "--by needs --max-groups"),
    (asks("count", "people.csv", *UNIT, "--by", "city", "--max-groups", "1"), "or list the groups in --keys"),
    (asks("mean", "people.csv", *UNIT, *VALUE, "--by", "city", "--max-groups", "1"), "needs --keys"),
    (asks("count", "people.csv", *UNIT, "--group-by", "city"), "did you mean --by?"),
    (asks("count", "people.csv", *UNIT, "--where", "age"), "age >= 18"),
    (asks("count", "people.csv", *UNIT, "--where", "city > a"), "have no order here"),
    (asks("count", "people.xlsx", *UNIT), "its name must end in .csv"),
    (asks("count", "nowhere.csv", *UNIT), "there is no such file"),
    (asks("count", "people.csv", "--unit", "name", "--epsilon", "1"), "has no column 'name'"),
    (asks("count", "people.csv", *UNIT, "--key", "a"), "need --account"),
    # before any command
    (("--versoin",), "did you mean --version?"),
    (("--hlep",), "did you mean --help?"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "mechanism.toml").write_text('kind = "laplace"\nscale = 2\n', encoding="utf-8")
    (tmp_path / "people.csv").write_text("id,city,age,pay\n1,n,30,4\n2,s,40,5\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("DPCOMPOSE_STORE", raising=False)
    return tmp_path


def test_there_are_enough_of_them() -> None:
    assert len(MISTAKES) >= 65
    assert len({arguments for arguments, _ in MISTAKES}) == len(MISTAKES)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments, cure", MISTAKES, ids=[" ".join(arguments)[:60] for arguments, _ in MISTAKES])
def test_a_mistake_is_answered_by_its_cure(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], cure: str
) -> None:
    before = sorted(os.listdir())  # noqa: PTH208 - names alone
    code = cli.run(arguments)
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    lines = said.err.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  ") for line in lines[1:])
    sentence = " ".join(said.err.split())
    assert sentence.startswith("dpcompose: ")
    assert len(sentence) <= MOST
    assert cure in sentence
    assert not PYTHON_TALK.search(sentence)
    assert sorted(os.listdir()) == before  # noqa: PTH208

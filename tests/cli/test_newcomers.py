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
    (epsilon("Gaussian(variance=4)"), "noise_std, the square root of the variance"),
    (epsilon("Gaussian(σ=2)"), "did you mean noise_std?"),
    (epsilon("Gaussian(noiseStd=2)"), "did you mean noise_std?"),
    (epsilon("Gaußian(noise_std=2)"), "did you mean Gaussian?"),
    (epsilon("DPSGD"), "1000 * Sampled(Gaussian(noise_std=1), rate=0.01)"),
    (epsilon("median(income)"), "`dpcompose release`, which answers from data"),
    (epsilon("Gaussian(noise_std=2, adjacency=replace)"), "did you mean REPLACE_ONE?"),
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
    (("epsilon", ONE, "--delta", "1e−6"), "1e−6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "10⁻⁶"), "10⁻⁶ is written 1e-6"),
    (("epsilon", ONE, "--delta", "1 × 10⁻⁶"), "is written 1e-6"),
    (("epsilon", ONE, "--delta", "1*10^-6"), "1*10^-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "1 e-6"), "1 e-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "0.000 001"), "is written 0.000001"),
    (("epsilon", ONE, "--delta", "0.1‰"), "0.1‰ is written 0.0001"),
    (("epsilon", ONE, "--delta", "δ=1e-6"), "δ=1e-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "+1e-6"), "+1e-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "“1e-6”"), "“1e-6” is written 1e-6"),
    (("epsilon", ONE, "--delta", "１e-6"), "１e-6 is written 1e-6"),
    (("epsilon", ONE, "--delta", "½"), "½ is written 1/2"),
    (("epsilon", ONE, "--delta", "1/n"), "a number below, such as 1/60000"),
    (("epsilon", ONE, "--delta", "1/"), "delta = 1/ is not allowed"),
    (("epsilon", ONE, "--delta", ""), "delta = nothing is not allowed"),
    (("epsilon", ONE, "--delta", "1e-6,1e-7"), "a number from 0 to 1"),
    (("epsilon", ONE, "--delta", "5%"), "5% is written 0.05"),
    (epsilon("1 000 000 * Laplace(scale=9)"), "1 000 000 is written 1000000"),
    (epsilon("1'000 * Laplace(scale=9)"), "1'000 is written 1000"),
    (epsilon("1.000 * Laplace(scale=9)"), "write 1000 or 1, without a point"),
    (epsilon("1.000.000 * Laplace(scale=9)"), "1.000.000 is written 1000000"),
    (epsilon("10^6 * Laplace(scale=9)"), "10^6 is written 1e6"),
    (epsilon("k * Laplace(scale=9)"), "a whole number from 0"),
    (epsilon("Laplace(scale=1e-400)"), "none closer to 0 than"),
    (epsilon("Laplace(scale=1/0)"), "the lower one not 0"),
    (epsilon("Gaussian(noise_std=?)"), "`dpcompose calibrate` looks for the number of a ?"),
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
    (epsilon("30 *"), "expected a mechanism such as Gaussian(noise_std=2)"),
    (epsilon("* Gaussian(noise_std=2)"), "a count stands before one *"),
    (epsilon("Laplace(scale=9)**3"), "a count stands before one *"),
    (epsilon("Laplace(scale=9).compose(3)"), "a count stands before *"),
    (epsilon("(30 * Laplace(scale=9)"), "the parenthesis at column 1 is not closed"),
    (epsilon("Laplace[scale=9]"), "parameters stand in parentheses"),
    (epsilon("Laplace{scale=9}"), "parameters stand in parentheses"),
    (epsilon("Laplace(scale==9)"), "a parameter is given as name=value"),
    (epsilon("Laplace(scale 9)"), "write scale=9"),
    (epsilon("Laplace(scale=9 sensitivity=1)"), "parameters are separated by commas"),
    (epsilon("Laplace(9, 1)"), "write scale=9"),
    (epsilon("Gaussian(noise-std=2)"), "write noise_std"),
    (epsilon("gaussian(1)"), "did you mean Gaussian?"),
    (epsilon("30 * (0.1, 0.001)"), "write BlackBox(epsilon=0.1, delta=0.001)"),
    (epsilon("epsilon=0.1"), "it needs a kind, such as 'gaussian'"),
    (("epsilon", f"-3 * {ONE}", *AT), "a count is a whole number from 0 on"),
    # files
    (epsilon("people.csv"), "`dpcompose release` and `dpcompose audit` read tables"),
    (epsilon("plan.txt"), "of files .toml and .json are read"),
    (epsilon("folder.toml"), "cannot be read: Is a directory"),
    (epsilon("empty.toml"), "such as Gaussian(noise_std=2)"),
    (epsilon("empty.json"), "such as Gaussian(noise_std=2)"),
    (epsilon("binary.toml"), "is not UTF-8 text: see byte 0"),
    (epsilon("list.json"), "a table with a kind is expected"),
    (("budget", "binary.toml"), "is not UTF-8 text"),
    (("budget", "empty.toml"), "has no table budget"),
    (("audit", "people.csv", *AT), "the columns score and member"),
    (("audit", "empty.csv", *AT), "the columns score and member"),
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
    (("epsilon", ONE, "—delta", "1e-6"), "a dash that is no hyphen; write --delta"),
    (("epsilon", ONE, "–-delta=1e-6"), "a dash that is no hyphen; write --delta=1e-6"),
    (("epsilon", ONE, "-delta", "1e-6"), "did you mean --delta?"),
    (("epsilon", ONE, "--DELTA", "1e-6"), "did you mean --delta?"),
    (("epsilon", ONE, "--delta"), "such as --delta 1e-6"),
    (("epsilon", ONE, "1e-6"), "such as --delta 1e-6"),
    (("ε", ONE), "did you mean epsilon?"),
    (("help", "epsilon"), "dpcompose epsilon --help"),
    (("calibrate",), "'100 * Gaussian(noise_std=?)'"),
    (("budget",), "such as plan.toml"),
    (("serve", "--port", "http"), "a whole number from 1 to 65535"),
    (("theorems", "a", "b"), "'b' is one too many"),
    (("formula", "MIR-P4", "n=100"), "also eps, Q"),
    (("ledger", "spned"), "did you mean spend?"),
    # releases
    (asks("people.csv", "count", *UNIT), "dpcompose release count people.csv"),
    (asks("medain", "people.csv", *UNIT), "did you mean median?"),
    (asks("count"), "such as people.csv"),
    (asks("count", "folder.csv", *UNIT), "it is a folder"),
    (asks("count", "empty.csv", *UNIT), "no list of different names"),
    (asks("count", "people.csv", "--unit", "id", "--epsilon", "0"), "a positive number"),
    (asks("count", "people.csv", *UNIT, "--where", "age => 18"), "age >= 18"),
    (asks("count", "people.csv", *UNIT, "--where", "age > 18 and age < 30"), "are given one by one"),
    (
        asks("count", "people.csv", *UNIT, "--by", "city", "--keys", "n", "--keys", "s"),
        "as many lists as there are --by",
    ),
    (asks("mean", "people.csv", *UNIT, "--value", "pay", "--lower", "0", "--upper", "9"), "as in pay=float"),
    (asks("mean", "people.csv", *UNIT, "--value", "pay", "--lower", "9", "--upper", "0"), "above lower = 9"),
    (asks("quantile", "people.csv", *UNIT, *VALUE, "--q", "95"), "such as 0.5 for the median"),
    (asks("quantile", "people.csv", *UNIT, *VALUE, "--q", "50%"), "50% is written 0.5"),
    (asks("max", "people.csv", *UNIT, *VALUE), "quantile with q = 0.99"),
    (asks("count", "people.csv", *UNIT, "--budget-plan", "mechanism.toml"), "no plan with its table budget"),
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
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "list.json").write_text('[{"kind": "laplace", "scale": 2}]', encoding="utf-8")
    for name in ("empty.toml", "empty.json", "empty.csv"):
        (tmp_path / name).touch()
    for name in ("folder.toml", "folder.csv"):
        (tmp_path / name).mkdir()
    (tmp_path / "people.csv").write_text("id,city,age,pay\n1,n,30,4\n2,s,40,5\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("DPCOMPOSE_STORE", raising=False)
    return tmp_path


def test_there_are_enough_of_them() -> None:
    assert len(MISTAKES) >= 180
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

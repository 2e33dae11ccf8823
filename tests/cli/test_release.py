"""`dpcompose release`: the price before the data, the charge before the answer, and the exact answer nowhere."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from pathlib import Path

import polars as pl
import pytest

import dpcompose as dpc

ROWS = 600
BY = ["--by", "region", "--keys", "north,south", "--max-groups", "2"]
VALUE = ["--value", "hours", "--lower", "0", "--upper", "12", "--grid", "0.5"]
SURE = ["--epsilon", "1000000"]  # so little noise that an answer is exact


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    frame = pl.DataFrame(
        {
            "user": [i % 300 for i in range(ROWS)],
            "region": [("north", "south", "a, b")[i % 3] for i in range(ROWS)],
            "hours": [(i % 25) / 2 for i in range(ROWS)],
            "day": [f"2026-01-0{1 + i % 4}" for i in range(ROWS)],
            "member": [i % 2 == 0 for i in range(ROWS)],
            "hole": [None if i == 7 else float(i) for i in range(ROWS)],
            "nan": [float("nan") if i == 7 else float(i) for i in range(ROWS)],
        }
    ).with_columns(pl.col("day").str.to_date())
    frame.write_parquet(tmp_path / "visits.parquet")
    frame.write_csv(tmp_path / "visits.csv")
    (tmp_path / "plan.toml").write_text("# ours\n[budget]\nepsilon = 1\ndelta = 1e-6\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TYPES = "hours=float,user=int,day=date,member=bool,hole=float"


def rows(text: str) -> dict[str, float]:
    return {row["key"]: float(row["value"]) for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.slow
@pytest.mark.parametrize("data", ["visits.parquet", "visits.csv"])
@pytest.mark.parametrize(
    "options, expected",
    [
        (["count", *BY, "--unit", "user"], {"north": 100, "south": 100}),
        (["count", "--every-row"], {"": 600}),
        (["count", "--unit", "user", "--max-rows", "2"], {"": 600}),
        (["count", "--by", "region", "--keys", '"a, b", north', "--every-row"], {"a, b": 200, "north": 200}),
        (
            ["count", "--by", "day", "--keys", "2026-01-02,2031-01-01", "--every-row"],
            {"2026-01-02": 150, "2031-01-01": 0},
        ),
        (["count", "--by", "member", "--keys", "true,FALSE", "--every-row"], {"True": 300, "False": 300}),
        (["count", "--by", "user", "--keys", "3,-5", "--every-row"], {"3": 2, "-5": 0}),
        (["histogram", "--by", "region", "--every-row", "--delta", "1e-6"], {"a, b": 200, "north": 200, "south": 200}),
        (["sum", *VALUE, "--every-row"], {"": sum((i % 25) / 2 for i in range(ROWS))}),
        (["mean", *VALUE, "--every-row"], {"": 6}),
        (["variance", *VALUE, "--every-row"], {"": 13}),
        (["quantile", *VALUE, "--q", "0.5", "--every-row"], {"": 6}),
    ],
)
def test_with_hardly_any_noise_the_answer_is_the_exact_one(
    run, data: str, options: list[str], expected: dict[str, float]
) -> None:
    statistic, *rest = options
    typed = ["--types", TYPES] if data.endswith(".csv") else []
    code, out, err = run("release", statistic, data, *rest, *typed, *SURE, "--csv")
    assert (code, err) == (0, "")
    assert rows(out) == pytest.approx(expected, rel=1e-3)  # the quantile of a flat stretch may be its next point


def test_the_text_shows_the_question_the_price_and_every_answer_with_its_bar(run) -> None:
    code, out, _ = run("release", "count", "visits.csv", *BY, "--unit", "user", "--epsilon", "0.5")
    assert code == 0
    assert "count by 'region', hiding one 'user'" in out
    assert "costs ε ≤ 0.5 at δ = 0, because KOV-3.3" in out
    names = [line.split()[0] for line in out.splitlines() if " from " in line and " to " in line]
    assert names == ["north", "south"]


def test_the_document_can_be_composed_and_checked_by_others(told) -> None:
    found = told("release", "count", "visits.csv", *BY, "--unit", "user", "--epsilon", "0.5")
    assert found["schema"] == "dpc.release/1"
    assert dpc.epsilon(dpc.spec.loads(found["mechanism"]), delta=0).upper == found["charge"]["epsilon_at_most"] == 0.5
    assert {row["key"] for row in found["rows"]} == {"north", "south"}
    assert all(row["lower"] <= row["value"] <= row["upper"] for row in found["rows"])


def test_a_dry_run_shows_the_price_and_opens_nothing(run, told, folder: Path) -> None:
    asked = ["release", "histogram", "nowhere.parquet", "--by", "region", "--unit", "user", "--max-groups", "3"]
    asked += ["--epsilon", "0.5", "--delta", "1e-6", "--dry-run", "--budget-plan", "plan.toml"]
    before = (folder / "plan.toml").read_text(encoding="utf-8")
    code, out, err = run(*asked)
    assert (code, err) == (0, "")
    assert "would cost ε ≤ 0.5 at δ = 1e-6" in out
    assert "A key is shown from a noisy count of" in out
    assert "It fits into 'plan.toml'" in out
    found = told(*asked)
    assert found["noise_at_most"] == {"count": 18.0}
    assert found["budget"]["spent"]["epsilon"] <= 0.5
    assert run(*asked, "--csv")[1].startswith("item,mechanism,noise_at_most\ncount,3 * Geometric(scale=6),18")
    assert (folder / "plan.toml").read_text(encoding="utf-8") == before


def test_the_price_of_a_sum_is_in_the_units_of_the_data(told) -> None:
    asked = ["release", "sum", "visits.csv", *VALUE, "--every-row", "--epsilon", "1", "--dry-run"]
    assert told(*asked)["noise_at_most"] == {
        "sum": 36.0
    }  # 72 halves: the least t with r^(t+1)/(1+r) ≤ 1/40, r = e^(−1/24)


def test_a_charge_is_appended_and_what_no_longer_fits_is_refused_unread(run, folder: Path) -> None:
    asked = ["--unit", "user", "--epsilon", "0.375", "--budget-plan", "plan.toml"]
    for spent in ("0.375", "0.75"):
        code, out, _ = run("release", "count", "visits.csv", *asked)
        assert code == 0
        assert f"Charged to 'plan.toml': ε = {spent} of 1, δ = 0 of 1e-6 is spent." in out
    held = (folder / "plan.toml").read_text(encoding="utf-8")
    assert held.startswith("# ours\n[budget]")
    entries = tomllib.loads(held)["spent"]
    assert [entry["mechanism"] for entry in entries] == ["Geometric(scale=8/3)"] * 2
    assert {entry["unit"] for entry in entries} == {"user"}
    code, out, err = run("release", "count", "nowhere.csv", *asked)  # refused before anyone looks for the file
    assert (code, out) == (2, "")
    assert "the total would be ε = 1.125" in err
    assert (folder / "plan.toml").read_text(encoding="utf-8") == held
    kept = [".plan.toml.lock", "plan.toml", "visits.csv", "visits.parquet"]
    assert sorted(path.name for path in folder.iterdir()) == kept


COUNT = ["count", "visits.parquet", "--unit", "user", "--epsilon", "1"]
REFUSED = [
    (["count", "visits.parquet", "--epsilon", "1"], "A count needs --unit COLUMN, whom it hides; or --every-row"),
    ([*COUNT, "--every-row"], "nothing beside --every-row"),
    ([*COUNT, "--by", "region", "--keys", "north"], "--by needs --max-groups, in how many groups one unit may be"),
    ([*COUNT, "--by", "region", "--max-groups", "2"], "give --delta, such as 1e-6, or list the groups in --keys"),
    ([*COUNT, "--by", "nowhere", "--keys", "a", "--max-groups", "1"], "has no column 'nowhere'"),
    (["count", "visits.parquet", "--unit", "nobody", "--epsilon", "1"], "has no column 'nobody'"),
    (["count", "visits.parquet", "--unit", "hours", "--epsilon", "1"], "holds numbers; a unit is"),
    ([*COUNT, "--by", "user", "--keys", "north", "--max-groups", "1"], "is not of the type of the column 'user'"),
    ([*COUNT, "--by", "day", "--keys", "yesterday", "--max-groups", "1"], "is not of the type of the column 'day'"),
    ([*COUNT, "--keys", "@nowhere.txt", "--by", "region", "--max-groups", "1"], "'nowhere.txt' cannot be read"),
    (["sum", "visits.parquet", "--unit", "user", "--epsilon", "1", "--lower", "0", "--upper", "9"], "value"),
    (["sum", "visits.parquet", "--unit", "user", "--epsilon", "1", *VALUE, "--value", "region"], "a value is a number"),
    (["sum", "visits.csv", "--unit", "user", "--epsilon", "1", *VALUE], "holds texts; a value is a number"),
    ([*COUNT, "--types", "user=int"], "data that has types of its own"),
    ([*COUNT, "--glob", "--by", "nowhere", "--keys", "a", "--max-groups", "1"], "has no column 'nowhere'"),
    (["count", "visits.csv", "--unit", "nobody", "--epsilon", "1"], "has no column 'nobody'."),
    (["count", "visits.csv", "--unit", "user", "--epsilon", "1", "--types", "user=number"], "one of text, int"),
    (["count", "visits.csv", "--unit", "user", "--epsilon", "1", "--types", "user"], "age=int,day=date"),
    (["count", "visits.csv", "--unit", "user", "--epsilon", "1", "--types", "x=int"], "has no column 'x'"),
    ([*COUNT, "--memory", "much"], "MB or GB"),
    ([*COUNT, "--seconds", "0"], "a positive number of seconds"),
    ([*COUNT, "--keep", "plan.toml"], "a file that can be made"),
    ([*COUNT, "--keys", "@plan.toml", "--by", "region", "--max-groups", "1"], "a file of keys"),
    (["sum", "visits.parquet", "--unit", "user", "--epsilon", "1", "--value", "hours"], "lower"),
    (
        ["mean", "visits.parquet", "--unit", "user", "--epsilon", "1", *VALUE, "--by", "region", "--max-groups", "1"],
        "keys",
    ),
    (["quantile", "visits.parquet", "--unit", "user", "--epsilon", "1", *VALUE, "--q", "2"], "q = "),
    (["quantile", "visits.parquet", "--unit", "user", "--epsilon", "1", *VALUE], "needs --q, such as --q 0.5"),
    (["median", "visits.parquet", "--unit", "user", "--epsilon", "1"], "A median needs --value COLUMN"),
    (["average", "visits.parquet", "--unit", "user", "--epsilon", "1"], "did you mean mean?"),
    ([*COUNT, "--value", "hours"], "option = 'value' is not allowed"),
    ([*COUNT, "--delta", "two"], "delta = two is not allowed"),
    ([*COUNT, "--noise", "laplace"], "geometric or gaussian"),
    ([*COUNT, "--noise", "gaussian"], "Gaussian noise never meets δ = 0"),
    ([*COUNT, "--missing", "maybe"], "expected drop"),
    ([*COUNT, "--adjacency", "both"], "add-remove or replace-one"),
    ([*COUNT, "--max-rows", "0"], "max_rows = 0"),
    ([*COUNT, "--table", "visits"], "only where the data is a .duckdb file"),
    ([*COUNT, "--json", "--csv"], "at most one of them"),
    (["count", "visits.parquet", "--unit", "user", "--epsilon", "0"], "at ε = 0 an answer says nothing"),
    (["count", "visits.parquet", "--unit", "user"], "A count needs --epsilon, such as --epsilon 0.5."),
    (["count", "nowhere.parquet", "--unit", "user", "--epsilon", "1"], "there is no such file"),
    (["count", "visits.xlsx", "--unit", "user", "--epsilon", "1"], "its name must end in"),
    (["count", "broken.parquet", "--unit", "user", "--epsilon", "1"], "cannot be read by its engine"),
    (["count", "broken.duckdb", "--unit", "user", "--epsilon", "1"], "cannot be read by its engine"),
]


@pytest.mark.parametrize("arguments, said", REFUSED)
def test_a_refusal_is_one_sentence_and_charges_nothing(run, folder: Path, arguments: list[str], said: str) -> None:
    for name in ("broken.parquet", "broken.duckdb"):
        (folder / name).write_bytes(b"PAR1 and no more")
    plan = (folder / "plan.toml").read_text(encoding="utf-8")
    code, out, err = run("release", *arguments, "--budget-plan", "plan.toml")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert (folder / "plan.toml").read_text(encoding="utf-8") == plan


PLANS = [
    ("", "has no table budget"),
    ("[budget]\nepsilon = 1\n", "states no delta"),
    ("[budget]\nepsilon = -1\ndelta = 0\n", "epsilon in plan.toml = -1"),
    ("[budget]\nepsilon = nan\ndelta = 0\n", "epsilon in plan.toml = nan"),
    ("[budget]\nepsilon = 1\ndelta = 0\nfilter = 'all'\n", "basic or zcdp or renyi or gdp"),
    ("[budget]\nepsilon = 1\ndelta = 0\nadaptivity = 'no'\n", "FULLY_ADAPTIVE or ADAPTIVE"),
    ("[budget]\nepsilon = 1\ndelta = 0\nadaptivity = 'ADAPTIVE'\nfilter = 'ZCDP'\n", "filter in plan.toml"),
    ("[budget]\nepsilon = 1\ndelta = 0\nlimit = 2\n", "says 'limit'"),
    ("[budget]\nepsilon = 1\ndelta = 0\nunit = 'house'\n", "the budget of the unit 'house'"),
    ("[budget]\nepsilon = 1\ndelta = 0\n[[spent]]\nunit = 'user'\n", "spent 1: expected a mechanism"),
    ("[budget]\nepsilon = 1\ndelta = 0\n[[spent]]\nmechanism = 'Gauss(1)'\n", "spent 1: "),
    (
        "[budget]\nepsilon = 1\ndelta = 0\n[[spent]]\nmechanism = 'BlackBox(epsilon=2)'\n",
        "With the plan the total would",
    ),
    ("[budget\n", "is not TOML"),
    ("{", "is not JSON"),
    ('{"budget": {"epsilon": 1, "delta": 0}, "spent": 3}', "spent is a list"),
    ("spent = []\n[budget]\nepsilon = 9\ndelta = 0\n", "write what is spent as [[spent]] tables"),
]


@pytest.mark.parametrize("plan, said", PLANS)
def test_a_plan_that_cannot_be_kept_is_refused_in_one_sentence(run, folder: Path, plan: str, said: str) -> None:
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    code, out, err = run("release", *COUNT, "--budget-plan", "plan.toml")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert (folder / "plan.toml").read_text(encoding="utf-8") == plan


def test_a_plan_may_be_json_and_hold_documents(run, folder: Path) -> None:
    earlier = dpc.spec.to_document(dpc.BlackBox(epsilon=0.25, delta=1e-7))
    plan = {"budget": {"epsilon": "0.75", "delta": 1e-6, "unit": "user"}, "spent": [{"mechanism": earlier}]}
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    asked = ["release", "count", "visits.csv", "--unit", "user", "--epsilon", "0.5", "--budget-plan", "plan.json"]
    assert run(*asked)[0] == 0
    kept = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    assert [entry["mechanism"] for entry in kept["spent"]] == [earlier, "Geometric(scale=2)"]
    assert run(*asked)[0] == 2


def test_missing_values_are_left_out_where_that_is_said(run) -> None:
    asked = ["release", "sum", "visits.csv", "--every-row", *SURE, "--value", "hole", "--lower", "0", "--upper", "600"]
    asked += ["--types", TYPES]
    code, out, _ = run(*asked, "--grid", "1", "--missing", "drop", "--csv")
    assert code == 0
    assert rows(out) == {"": ROWS * (ROWS - 1) / 2 - 7}


@pytest.mark.slow
@pytest.mark.parametrize("delta", ["0", "1e-300", "1e-6", "0.9"])
@pytest.mark.parametrize("epsilon", ["1e-9", "1e6"])
def test_huge_and_tiny_noise_has_a_price_and_an_answer(run, delta: str, epsilon: str) -> None:
    noise = ["--noise", "gaussian"] if delta != "0" else []
    asked = ["--epsilon", epsilon, "--delta", delta, *VALUE, *noise]
    code, out, err = run("release", "sum", "visits.parquet", "--every-row", *asked, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert 0 <= found["charge"]["epsilon_at_most"] <= float(epsilon)
    (row,) = found["rows"]
    assert row["lower"] <= row["value"] <= row["upper"]
    assert row["upper"] - row["lower"] < 1e14

"""The command that answers a question about a table, with noise, and reports the cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from dpcompose.cli.frame import Json, examples, limit
from dpcompose.cli.options import Argument, CommandOption
from dpcompose.cli.screen import show
from dpcompose.errors import InvalidParameter


def column(words: str) -> Any:
    """An option that names a column."""
    return CommandOption(metavar="COLUMN", help=words)


def choice(words: str, metavar: str) -> Any:
    """An option with a few possible words."""
    return CommandOption(metavar=metavar, help=words)


@examples(
    "release count v.csv --unit user --epsilon 0.5 --dry-run",
    "release schema v.csv > types.toml",
    "release count v.csv --every-row --by day --keys mo,tu --epsilon 0.5",
    "release bounds v.db … --value x --lower 0 --upper 9e6 --epsilon 0.1",
    "release count,mean v.db … --value x --lower 0 --upper 9 --epsilon 1",
    "release sum v.db --unit id --value x --lower 0 --upper 9 --epsilon 1",
    "release count v.db --unit id --epsilon 1 --budget-plan plan.toml",
    "release count v.db --unit id --epsilon 1 --account city --store URL",
)
def release(  # noqa: PLR0917 - options are made of them
    statistic: Annotated[
        str,
        Argument(
            "count, histogram, sum, mean, variance, quantile or median, or several as count,mean; bounds suggests "
            "--lower and --upper; schema starts a declaration."
        ),
    ],
    data: Annotated[str, Argument("A .csv, .tsv, .parquet, .duckdb or .db file.")],
    epsilon: Annotated[str | None, limit("ε of this release, exactly as written.")] = None,
    unit: Annotated[str | None, column("Whom it hides: rows with the same value here are one unit.")] = None,
    delta: Annotated[str, limit("δ of this release; keys found in the data need some.")] = "0",
    by: Annotated[
        list[str] | None, column("Answer for each group of this column; several: for each combination.")
    ] = None,
    keys: Annotated[
        list[str] | None,
        choice("The groups to answer: a,b,c, or @FILE.txt with one a line; once for each --by.", "LIST"),
    ] = None,
    where: Annotated[
        list[str] | None, choice("Count only rows for which this holds, such as 'age >= 18'.", "CONDITION")
    ] = None,
    max_groups: Annotated[str | None, choice("In how many groups one unit may be; needed with --by.", "COUNT")] = None,
    max_rows: Annotated[str, choice("For how many rows of a group one unit may count.", "COUNT")] = "1",
    value: Annotated[str | None, column("What is summed, averaged or ranked.")] = None,
    lower: Annotated[str | None, limit("Values are clipped from here,")] = None,
    upper: Annotated[str | None, limit("to here.")] = None,
    grid: Annotated[
        str | None, limit("Values go to whole steps of this; by default a thousandth of the range.")
    ] = None,
    q: Annotated[str | None, limit("Which quantile: 0.5 is the median.")] = None,
    noise: Annotated[str | None, choice("The default is geometric.", "geometric|gaussian")] = None,
    adjacency: Annotated[
        str | None, choice("What neighbours are; the first by default.", "add-remove|replace-one")
    ] = None,
    missing: Annotated[str | None, choice("Rows with missing values are left out, without a word.", "drop")] = None,
    confidence: Annotated[str, limit("How sure the error bars are.")] = "0.95",
    types: Annotated[
        str | None, choice("Types of columns of a text: age=int,day=date, or @FILE.toml. Others are texts.", "LIST")
    ] = None,
    header: Annotated[str | None, choice("The names of the columns of a text without a header.", "LIST")] = None,
    delimiter: Annotated[str | None, choice("What stands between cells: a comma, or a tab in .tsv.", "CHAR")] = None,
    quote: Annotated[str | None, choice('What may stand around a cell: ", or none.', "CHAR|none")] = None,
    table: Annotated[str | None, choice("Which table of a .duckdb file.", "NAME")] = None,
    view: Annotated[str | None, choice("Views of a .duckdb file that may be read.", "LIST")] = None,
    memory: Annotated[str | None, choice("The most memory of the embedded engine; 4GB by default.", "SIZE")] = None,
    seconds: Annotated[str | None, limit("The most time of the embedded engine; 3600 by default.")] = None,
    budget_plan: Annotated[
        Path | None,
        CommandOption(
            metavar="FILE", help="A .toml or .json file with a budget: refuse what does not fit, add the rest."
        ),
    ] = None,
    dataset: Annotated[
        str | None, choice("A name of the data, which travels with the charge: a plan of other data refuses.", "NAME")
    ] = None,
    account: Annotated[str | None, choice("The account of a book that is charged; needs --store.", "NAME")] = None,
    store: Annotated[str | None, choice("Where the book is: sqlite:///budget.db or postgresql://…", "URL")] = None,
    key: Annotated[str | None, choice("Stands for this release: it is run and charged once.", "TEXT")] = None,
    keep: Annotated[
        Path | None,
        CommandOption(metavar="FILE", help="Store the answer in a new file before it is shown: it is paid for."),
    ] = None,
    *,
    glob: Annotated[bool, CommandOption("--glob", help="DATA is a pattern; the files are listed.")] = False,
    every_row: Annotated[bool, CommandOption("--every-row", help="Each row is a unit of its own.")] = False,
    dry_run: Annotated[
        bool, CommandOption("--dry-run", help="Show price and error bars; open no data, charge nothing.")
    ] = False,
    json: Json = False,
    csv: Annotated[bool, CommandOption("--csv", help="Print comma-separated values instead of text.")] = False,
) -> None:
    """Answer a question about a table with noise, and say what it cost.

    Everything that can be refused is refused before the charge, and the charge comes before the answer is made. The
    exact answer is shown nowhere.
    """
    from dpcompose.app import charging, releases

    if json + csv > 1:
        raise InvalidParameter("--json, --csv", "both", "at most one of them")
    source: dict[str, Any] = {"types": types, "header": header, "delimiter": delimiter, "quote": quote}
    source |= {"table": table, "view": view, "glob": glob}
    if statistic == releases.SCHEMA:
        show(releases.schema(data, source))
        return
    texts: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "by": by, "keys": keys, "where": where}
    texts |= {"max_groups": max_groups, "value": value, "lower": lower, "upper": upper, "grid": grid, "q": q}
    texts |= {"noise": noise, "adjacency": adjacency}
    texts |= {"missing": missing, "confidence": confidence, "max_rows": max_rows, "unit": unit}
    known: dict[str, Any] = {
        "memory": memory,
        "seconds": seconds,
        "plan": budget_plan,
        "keep": keep,
        "dataset": dataset,
    }
    known["payer"] = charging.payer(store, account, key)
    asked = releases.request(statistic, data, texts, every_row=every_row, source=source, **known)
    reply = releases.priced(asked) if dry_run else releases.answered(asked)
    show(reply.csv.rstrip("\n") if csv else reply.json() if json else reply.text())

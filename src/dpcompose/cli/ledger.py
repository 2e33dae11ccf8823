"""The commands of the books: `dpcompose ledger init | create | quote | spend | …`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from dpcompose.cli.frame import Json, Mechanism, app, judged, limit, read, shown, target, write
from dpcompose.cli.options import Argument, CommandGroup, CommandOption
from dpcompose.cli.screen import show
from dpcompose.errors import DPError
from dpcompose.progress import progress

books = CommandGroup(
    "ledger",
    help="Budgets that cannot be overspent: accounts in SQLite or PostgreSQL, with a log that proves itself.",
    short_help="Budgets that cannot be overspent.",
    no_args_is_help=True,
)
app.recipes["ledger"] = books

Store = Annotated[
    str,
    CommandOption(
        "--store",
        metavar="URL",
        envvar="DPCOMPOSE_STORE",
        help="sqlite:///budget.db or postgresql://user@host/database; it is made if it is missing.",
    ),
]
Account = Annotated[str, Argument("The name of an account.", "ACCOUNT")]
Blocks = Annotated[
    list[str] | None, CommandOption("--block", metavar="NAME", help="A block that is read; may be repeated.")
]


def word(words: str, metavar: str = "TEXT") -> Any:
    """An option with a text."""
    return CommandOption(metavar=metavar, help=words)


def command(*lines: str, name: str | None = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command of the books with the examples that its help ends with."""
    told = "\n".join(f"dpcompose ledger {line}" for line in lines)
    return books.add(name, epilog=f"\b\nExamples:\n{told}")


def use() -> Any:
    """The use cases of the books; importing them imports the database."""
    try:
        from dpcompose.app import ledger
    except ModuleNotFoundError as missing:
        raise DPError(str(missing)) from None
    return ledger


@command("init --store sqlite:///budget.db")
def init(store: Store, *, json: Json = False) -> None:
    """Make a book, or list the accounts of the one that is there."""
    shown(use().init(store), json=json)


@command(
    "create census --epsilon 1 --delta 1e-6 --unit person --store sqlite:///budget.db",
    "create study --plan '30 * Laplace(scale=10)' --delta 1e-6 --unit person --store sqlite:///budget.db",
)
def create(  # noqa: PLR0917 - options are made of them
    account: Account,
    store: Store,
    unit: Annotated[str, word("Whom it hides, such as person or household.")],
    epsilon: Annotated[str | None, limit("ε at the caps; a plan knows its own.")] = None,
    delta: Annotated[str, limit("δ at the caps.")] = "0",
    adjacency: Annotated[str | None, word("add-remove (the default), replace-one or zero-out.")] = None,
    filter: Annotated[str | None, word("basic, zcdp (the default), renyi or gdp.")] = None,  # noqa: A002 - the word
    parent: Annotated[str | None, word("The account above it, which is charged as well.", "ACCOUNT")] = None,
    leak: Annotated[str | None, limit("The share of δ for mechanisms that leak.")] = None,
    orders: Annotated[str | None, word("The orders of a Rényi filter: 2,8,32.", "LIST")] = None,
    dataset: Annotated[str | None, word("Which data it is about, by a public name.")] = None,
    plan: Annotated[str | None, word("A plan that is fixed in advance, in place of a filter.", "MECHANISM")] = None,
    *,
    blocks: Annotated[bool, CommandOption("--blocks", help="The data grows by blocks, each with these caps.")] = False,
    json: Json = False,
) -> None:
    """Make an account; its caps are fixed from now on."""
    texts = {"epsilon": epsilon, "delta": delta, "unit": unit, "adjacency": adjacency, "filter": filter}
    texts |= {"parent": parent, "leak": leak, "orders": orders, "dataset": dataset}
    fixed = None if plan is None else read(plan)
    shown(use().create(store, account, texts, plan=fixed, blocks=blocks), json=json)


@command("block clicks 2026-01 --store sqlite:///budget.db")
def block(account: Account, name: str, store: Store, *, json: Json = False) -> None:
    """Open a block of an account that was made with --blocks."""
    shown(use().open_block(store, account, name), json=json)


@command("raise census --epsilon 1 --delta 1e-6 --store sqlite:///budget.db", name="raise")
def raise_(
    account: Account,
    store: Store,
    epsilon: Annotated[str, limit("ε of the new epoch.")],
    delta: Annotated[str, limit("δ of the new epoch.")] = "0",
    *,
    json: Json = False,
) -> None:
    """Open a new epoch with caps of its own: the guarantees add up."""
    shown(use().raise_to(store, account, epsilon, delta), json=json)


@command("quote census 'Laplace(scale=10)' --store sqlite:///budget.db")
def quote(account: Account, mechanism: Mechanism, store: Store, blocks: Blocks = None, *, json: Json = False) -> None:
    """What a mechanism would cost, and whether it fits: nothing is charged."""
    asked = read(mechanism)
    judged(use().quote(store, account, asked, blocks or ()), json=json)


@command("spend census 'Laplace(scale=10)' --key q-1 --purpose 'count by region' --store sqlite:///budget.db")
def spend(  # noqa: PLR0917 - options are made of them
    account: Account,
    mechanism: Mechanism,
    store: Store,
    key: Annotated[str | None, word("Stands for this request: asked again, it costs nothing more.")] = None,
    purpose: Annotated[str, word("What it is for.")] = "",
    who: Annotated[str | None, word("Who asks; by default the user of this machine.")] = None,
    blocks: Blocks = None,
    *,
    json: Json = False,
) -> None:
    """Charge a mechanism that is about to run, or refuse."""
    texts = {"key": key, "purpose": purpose, "who": who}
    asked = read(mechanism)
    shown(use().spend(store, account, asked, texts, blocks or ()), json=json)


@command("finish census q-1 commit --store sqlite:///budget.db")
def finish(
    account: Account,
    key: str,
    step: Annotated[str, Argument("commit, abandon, or cancel what was not started.")],
    store: Store,
    *,
    json: Json = False,
) -> None:
    """Note how a charge ended: what was started stays charged."""
    shown(use().finish(store, account, key, step), json=json)


@command("history census --store sqlite:///budget.db")
def history(
    account: Account,
    store: Store,
    last: Annotated[int, CommandOption(min=1, help="So many entries at most.")] = 50,
    *,
    json: Json = False,
) -> None:
    """What happened to an account, newest last."""
    shown(use().history(store, account, last), json=json)


@command("report census --html census.html --out census.svg --store sqlite:///budget.db")
def report(
    account: Account,
    store: Store,
    html: Annotated[Path | None, CommandOption(metavar="FILE", help="Write it as a page that prints well.")] = None,
    out: Annotated[Path | None, CommandOption(metavar="FILE", help="Draw how the budget went down.")] = None,
    *,
    json: Json = False,
) -> None:
    """The privacy statement of an account: claim, charges and proof."""
    shown(use().statement(store, account, html, target(out)), json=json)


@command("verify --store sqlite:///budget.db", "verify --against checkpoint.json --store sqlite:///budget.db")
def verify(
    store: Store,
    against: Annotated[
        list[Path] | None, CommandOption(metavar="FILE", help="Checkpoints that were kept elsewhere; may be repeated.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """Replay the whole log from scratch: exit code 1 if anything is wrong."""
    with bar() as told:
        reply = use().verify(store, against or (), told)
    judged(reply, json=json)


@command("checkpoint --out checkpoint.json --store sqlite:///budget.db")
def checkpoint(store: Store, out: Annotated[Path, CommandOption(metavar="FILE", help="Where to.")]) -> None:
    """Sign the log as it is, for somebody else to keep."""
    write(out, f"{use().checkpoint(store)}\n")
    show(f"The signed heads are in {str(out)!r}.")


@command("acknowledge --who ops --why 'the disk broke' --store sqlite:///budget.db")
def acknowledge(
    store: Store,
    who: Annotated[str, word("Who answers for it.")],
    why: Annotated[str, word("What happened.")],
    *,
    json: Json = False,
) -> None:
    """After a restored backup: book what was lost as spent."""
    shown(use().acknowledge(store, who, why), json=json)


@command("export entries.csv --store sqlite:///budget.db")
def export(file: Path, store: Store, *, json: Json = False) -> None:
    """Write all entries to a .csv, .parquet or .json file."""
    shown(use().export(store, file), json=json)


@command("import plan.toml --unit person --store sqlite:///budget.db", name="import")
def import_(
    plan: Path,
    store: Store,
    name: Annotated[str | None, word("The name of the account; by default that of the file.")] = None,
    unit: Annotated[str | None, word("Whom it hides, if the file does not say.")] = None,
    *,
    json: Json = False,
) -> None:
    """Move a plan file into an account: the same caps, and everything that is spent."""
    shown(use().import_plan(store, plan, name, unit), json=json)


@contextmanager
def bar() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal; it is called with the number of entries done and their total."""
    with progress("replayed", None) as advance:
        seen = 0

        def told(done: int, total: int) -> None:
            nonlocal seen
            advance(done - seen, total)
            seen = done

        yield told

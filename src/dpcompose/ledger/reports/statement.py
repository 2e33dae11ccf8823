"""A privacy statement: one page about an account that an outsider can recompute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from html import escape
from typing import TYPE_CHECKING, Any

from dpcompose import spec
from dpcompose.ledger.clocks import utc
from dpcompose.ledger.history import Entry
from dpcompose.ledger.protocol import LEADS, Act
from dpcompose.ledger.stores import statements
from dpcompose.numerics.enclosure import rounded

if TYPE_CHECKING:
    from dpcompose.ledger.accounts import Account

SCHEMA = "dpc.statement/1"
RELATIONS = {
    "add_remove": "one {unit} more or less",
    "replace_one": "one {unit} replaced by another",
    "zero_out": "one {unit} blanked out",
}
STYLE = """
body { font: 11pt/1.45 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f }
h1 { font-size: 1.5rem; margin-bottom: .2rem } h2 { font-size: 1.05rem; margin: 1.4rem 0 .3rem }
.claim { font-size: 1.35rem; border-left: .3rem solid #2b6cb0; padding: .3rem 0 .3rem .8rem; margin: 1rem 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .15rem .8rem .15rem 0 }
tr { border-bottom: 1px solid #ddd } .number { text-align: right; font-variant-numeric: tabular-nums }
code { font-size: .9em; overflow-wrap: anywhere } .small { color: #555; font-size: .85rem }
@media print { body { margin: 0; max-width: none; font-size: 10pt } tr { break-inside: avoid } @page { margin: 18mm } }
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """What an account claims, why it holds, and what was spent on what."""

    content: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<Statement of account {self.content['account']!r}>"

    def document(self) -> dict[str, Any]:
        """Everything as plain values."""
        return dict(self.content)

    def __str__(self) -> str:
        c = self.content
        used = ", ".join(f"{row['used']} of {row['cap']} {row['name']}" for row in c["coordinates"])
        return f"{c['account']}: {c['claim']}\nCharged so far: {used}.\nBecause: {c['because']}."

    def html(self) -> str:
        """One HTML page, without scripts or external files; it prints well."""
        c = self.content
        sums = [(row["name"], row["used"], row["cap"], row["left"]) for row in c["coordinates"]]
        runs = [(row["mechanism"], str(row["count"])) for row in c["charged"]]
        parts = [
            f"<h1>Privacy statement: {escape(c['account'])}</h1>",
            f'<p class="small">{escape(c["at"])} · book {escape(c["book"])}</p>',
            f'<p class="claim">{escape(c["claim"])}</p>',
            f"<p>Hidden is {escape(c['hidden'])}{_data(c['dataset'])}. {escape(c['how'])}</p>",
            "<h2>What is charged</h2>",
            _table(("sum", "charged", "cap", "left"), sums, numbers=(1, 2, 3)),
            "<h2>On what</h2>",
            _table(("mechanism", "times"), runs, numbers=(1,)) if runs else "<p>Nothing yet.</p>",
            "<h2>Why it holds</h2>",
            f"<p>{escape(c['because'])}. {escape(c['recompute'])}</p>",
            f'<p class="small">Entry {c["height"]} of chain {c["chain"]}, SHA-256 <code>{c["hash"]}</code>.</p>',
        ]
        head = f"<title>Privacy statement: {escape(c['account'])}</title>\n<style>{STYLE}</style>"
        meta = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">'
        body = "\n".join(parts)
        return f'<!doctype html>\n<html lang="en">\n<head>\n{meta}\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def statement(account: Account) -> Statement:
    """The statement of an account as it is now."""
    book = account.book
    guarantee, rule = account.guarantee, account.rule
    used, left = account.used, account.left
    head = book.desk.read(lambda connection: statements.looked(connection, account.chain))
    entries = account.history()
    relation = RELATIONS[account.adjacency.value].format(unit=account.unit)
    content = {
        "schema": SCHEMA,
        "at": utc(book.desk.clock()),
        "book": book.id,
        "account": account.name,
        "claim": f"{guarantee}, whoever looked at earlier answers before choosing the next.",
        "guarantee": {"epsilon": spec.written(guarantee.epsilon), "delta": spec.written(guarantee.delta)},
        "unit": account.unit,
        "adjacency": account.adjacency.value,
        "dataset": account.dataset,
        "hidden": relation,
        "how": _how(account.mode),
        "coordinates": [
            {
                "name": name,
                "used": rounded(used[name], ROUND_CEILING),
                "left": rounded(left[name], ROUND_FLOOR),
                "cap": rounded(used[name] + left[name], ROUND_FLOOR),
                "exact": {"used": str(used[name]), "left": str(left[name])},
            }
            for name in rule.coordinates
        ],
        "charged": charged(entries),
        "because": rule.because,
        "rule": rule.document(),
        "recompute": "`dpcompose ledger verify` replays the log that this page was made from; each mechanism and cap "
        "above is stated exactly in the JSON form of this page.",
        "chain": account.chain,
        "height": head.height if head else 0,
        "hash": head.hash if head else "",
    }
    return Statement(content)


def charged(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """What was charged, by mechanism, without what was cancelled."""
    last: dict[str, str] = {}
    what: dict[str, str] = {}
    for entry in entries:
        if entry.kind in {*Act}:
            last[entry.key] = entry.kind
            what.setdefault(entry.key, entry.mechanism)
    standing = [key for key, kind in last.items() if LEADS[Act(kind)][1].charged]
    found = Counter(what[key] for key in standing)
    return [{"mechanism": mechanism, "count": count} for mechanism, count in found.most_common()]


def _how(mode: str) -> str:
    return {
        "plan": "The plan was fixed before the first answer; the claim is that of the whole plan.",
        "blocks": "The data grows by blocks, each with caps of its own, and a unit lies in one block.",
    }.get(
        mode, "Every step, and when to stop, may depend on earlier answers: the caps were fixed before the first one."
    )


def _data(dataset: str | None) -> str:
    return f", in the data {escape(dataset)}" if dataset else ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> str:
    kinds = (' class="number"' if i in numbers else "" for i in range(len(head)))
    titles = "".join(f"<th{kind}>{escape(cell)}</th>" for kind, cell in zip(kinds, head, strict=True))
    lines = "\n".join(
        "<tr>"
        + "".join(
            f'<td class="number">{escape(x)}</td>' if i in numbers else f"<td><code>{escape(x)}</code></td>"
            for i, x in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table>\n<tr>{titles}</tr>\n{lines}\n</table>"


__all__ = ["Statement", "charged", "statement"]

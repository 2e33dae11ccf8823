"""The replay: it checks every entry in turn, and at the end what the tables must then say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import rfc8785

from dpcompose.ledger.verify import caps
from dpcompose.ledger.verify.prices import Prices
from dpcompose.ledger.verify.reading import LogRow, Tables
from dpcompose.ledger.verify.witnesses import Witnesses

MOST_PROBLEMS = 100
START = "0" * 64
NEXT = {"start": ("reserve", 2), "cancel": ("reserve", 2), "commit": ("start", 3), "abandon": ("start", 3)}
"""By kind of entry: the kind that must come before, and the phase of this one."""


@dataclass
class Owner:
    """An account as the registry declares it."""

    name: str
    parent: int | None
    chain: int
    terms: Mapping[str, Any]


@dataclass
class EpochSum:
    """An epoch as the registry declares it, and the sum of its charges in the log."""

    account: int
    number: int
    rule: Mapping[str, Any]
    caps: list[int]
    used: list[int]


@dataclass
class Replay:
    """The state of a replay."""

    witnesses: Witnesses
    problems: list[str] = field(default_factory=list)
    entries: int = 0
    accounts: dict[int, Owner] = field(default_factory=dict)
    epochs: dict[int, EpochSum] = field(default_factory=dict)
    prices: Prices = field(default_factory=Prices)
    heads: dict[int, tuple[int, str]] = field(default_factory=lambda: {0: (0, START)})
    last: dict[tuple[int, str], str] = field(default_factory=dict)
    held: dict[tuple[int, str], Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    by_name: dict[str, int] = field(default_factory=dict)

    def found(self, sentence: str) -> None:
        """Record something that is wrong."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(sentence)

    def entry(self, row: LogRow) -> None:
        """Check the next entry: first its link, then its meaning."""
        self.entries += 1
        place = f"{row.chain}/{row.height}"
        document = self._linked(row, place)
        if document is None:
            return
        for sentence in self.witnesses.met(row.chain, row.height, row.hash):
            self.found(sentence)
        try:
            if row.chain == 0:
                self._registry(row, document, place)
            else:
                self._step(row, document, place)
        except (KeyError, ValueError, TypeError, IndexError) as error:
            self.found(f"{place}: the entry cannot be read ({type(error).__name__}: {error}).")

    def _linked(self, row: LogRow, place: str) -> dict[str, Any] | None:
        height, before = self.heads.get(row.chain, (0, ""))
        if row.height != height + 1:
            self.found(f"{place}: {row.height - height - 1} entries before it are missing.")
        self.heads[row.chain] = (row.height, row.hash)
        if hashlib.sha256(row.body.encode()).hexdigest() != row.hash:
            self.found(f"{place}: the entry was edited: its hash does not fit.")
        try:
            document: dict[str, Any] = json.loads(row.body)
            text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        except ValueError:
            self.found(f"{place}: the entry is no JSON.")
            return None
        said = tuple(document.get(name) for name in ("schema", "chain", "height", "kind"))
        if (text != row.body and _canonical(document) != row.body) or said != (
            "dpc.entry/1",
            row.chain,
            row.height,
            row.kind,
        ):
            self.found(f"{place}: the entry is not what its row says.")
        if document.get("prev") != before and row.height == height + 1:
            self.found(f"{place}: the chain is broken: the entry follows another one.")
        return document

    def _registry(self, row: LogRow, document: Mapping[str, Any], place: str) -> None:
        if row.kind == "create":
            number = document["account"]
            parent = document["parent"]
            chain = number if parent is None else self.accounts[parent].chain
            self.accounts[number] = Owner(document["name"], parent, chain, document["terms"])
            if document["name"] in self.by_name:
                self.found(f"{place}: the name {document['name']!r} was used before.")
            self.by_name[document["name"]] = number
            self._epoch(document, 1, place)
            if parent is None:
                self.heads[number] = (0, row.hash)
        elif row.kind == "epoch":
            self._epoch(document, document["number"], place)
        elif row.kind not in {"open", "lost"}:
            self.found(f"{place}: the registry knows no {row.kind!r}.")

    def _epoch(self, document: Mapping[str, Any], number: int, place: str) -> None:
        rule = document["rule"]
        limits = [int(cap) for cap in rule["caps"]]
        self.epochs[document["epoch"]] = EpochSum(document["account"], number, rule, limits, [0] * len(limits))
        wrong = caps.problem(rule)
        if wrong:
            self.found(f"{place}: {self.accounts[document['account']].name!r}: {wrong}.")

    def _step(self, row: LogRow, document: Mapping[str, Any], place: str) -> None:
        if row.kind == "lost":
            self._charged(document["charges"], place, 1)
            return
        account = self.by_name[document["account"]]
        owner = self.accounts[account]
        if (row.account, row.key, owner.chain) != (account, document["key"], row.chain):
            self.found(f"{place}: the entry stands under another account or key.")
        name = (account, document["key"])
        if row.kind == "reserve":
            self._reserved(row, document, name, place)
            return
        before, phase = NEXT[row.kind]
        if self.last.get(name) != before or row.phase != phase:
            self.found(f"{place}: {row.kind} after {self.last.get(name)}: the protocol does not allow it.")
        self.last[name] = row.kind
        held = self.held.pop(name, ())
        if row.kind == "cancel":
            given = [(c["epoch"], [-int(n) for n in c["change"]]) for c in document["charges"]]
            if given != [(c["epoch"], [int(n) for n in c["change"]]) for c in held]:
                self.found(f"{place}: it gives back something else than it held.")
            self._charged(document["charges"], place, -1)

    def _reserved(self, row: LogRow, document: Mapping[str, Any], name: tuple[int, str], place: str) -> None:
        if name in self.last or row.phase != 1:
            self.found(f"{place}: the key {name[1]!r} is charged twice.")
        self.last[name], charges, what = "reserve", document["charges"], document["what"]
        self.held[name] = charges
        wanted = self._scopes(name[0], what)
        if sorted(self.epochs[c["epoch"]].account for c in charges) != sorted(wanted):
            self.found(f"{place}: it does not charge every account above it.")
        for charge in charges:
            self._enough(charge, what, wanted[self.epochs[charge["epoch"]].account], place)
        self._charged(charges, place, 1)

    def _scopes(self, account: int, what: Mapping[str, Any]) -> dict[int, int]:
        """The accounts that must be charged, with a factor: 2 where a replaced unit affects two parts."""
        owner = self.accounts[account]
        replaces = owner.terms["adjacency"] == "replace_one"
        parts = 2 if replaces and "parts" in what else 1
        wanted = {}
        for block in what.get("blocks", ()):
            wanted[self.by_name[f"{owner.name}/{block}"]] = 2 if replaces else 1
        above: int | None = account
        while above is not None:
            if self.accounts[above].terms["mode"] != "blocks":
                wanted[above] = parts
            above = self.accounts[above].parent
        return wanted

    def _enough(self, charge: Mapping[str, Any], what: Mapping[str, Any], times: int, place: str) -> None:
        epoch = charge["epoch"]
        total = self.epochs[epoch]
        change = [int(n) for n in charge["change"]]
        if any(n % times for n in change):
            self.found(f"{place}: a replaced unit is felt twice, and charged once.")
        adjacency = self.accounts[total.account].terms["adjacency"]
        wrong = self.prices.problem(what, epoch, total.rule, adjacency, [n // times for n in change])
        if wrong:
            self.found(f"{place}: {wrong}.")

    def _charged(self, charges: Sequence[Mapping[str, Any]], place: str, sign: int) -> None:
        for charge in charges:
            total = self.epochs[charge["epoch"]]
            for i, text in enumerate(charge["change"]):
                more = int(text)
                if more * sign < 0:
                    self.found(f"{place}: a charge with the wrong sign.")
                total.used[i] += more
                if not 0 <= total.used[i] <= total.caps[i]:
                    self.found(
                        f"{place}: {charge['account']!r} is overspent: {total.used[i]} of {total.caps[i]} units."
                    )
            if "used" in charge and [str(n) for n in total.used] != charge["used"]:
                self.found(f"{place}: it says another balance of {charge['account']!r} than the log adds up to.")

    def finish(self, tables: Tables) -> None:
        """Compare the tables to what the log adds up to, and report witnessed entries that are missing."""
        for problem in self.witnesses.problems:
            self.found(problem)
        for sentence in self.witnesses.missing():
            self.found(sentence)
        self._same("head", tables.heads(), self.heads)
        declared = {n: (o.name, o.parent, o.chain, _text(o.terms)) for n, o in self.accounts.items()}
        self._same("account", tables.accounts(), declared)
        epochs = {n: (s.account, s.number, _text(s.rule)) for n, s in self.epochs.items()}
        self._same("epoch", tables.epochs(), epochs)
        balances = {
            (n, i): (cap, s.used[i])
            for n, s in self.epochs.items()
            if self.accounts[s.account].terms["mode"] != "blocks"
            for i, cap in enumerate(s.caps)
        }
        self._same("balance", tables.balances(), balances)

    def _same(self, table: str, kept: Mapping[Any, Any], folded: Mapping[Any, Any]) -> None:
        for key in sorted({*kept, *folded}, key=str):
            if kept.get(key) != folded.get(key):
                said = f"says {_short(kept.get(key))}, and the log {_short(folded.get(key))}"
                self.found(f"The table {table}, row {key}, {said}.")


def _canonical(document: Any) -> str:
    """The canonical text (RFC 8785) of a document with numbers that Python would write differently."""
    try:
        return rfc8785.dumps(document).decode()
    except rfc8785.CanonicalizationError:
        return ""


def _text(document: Any) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _short(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) < 80 else f"{text[:77]}..."


__all__ = ["Replay"]

"""What a plan file says.

```toml
[budget]
epsilon = 1
delta = 1e-6
unit = "user"
filter = "zcdp"

[caps]                      # written at the first charge, and never changed
filter = "zcdp"
values = ["0.0243559703595383099", "0"]

[[spent]]
mechanism = "30 * BlackBox(epsilon=0.01)"
purpose = "last year"
cost = ["0.00149998750012499", "0"]
```

The same may be JSON. A mechanism is an expression or a table, as in every document. Numbers are exact.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpcompose import spec
from dpcompose.description import Adaptivity, Adjacency, Composition, Mechanism
from dpcompose.errors import DPError, InvalidDocument, InvalidParameter
from dpcompose.filters import Filter, filter_of
from dpcompose.filters.charge import Charge, Protects
from dpcompose.filters.rules import RULES, Cost
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.release.charge.allowance import Allowance
from dpcompose.release.charge.totals import Capped, Planned
from dpcompose.spec.limits import guard, guard_keys

FILTERS = {**{name: name for name in RULES}, "ApproxDP": "basic", "ZCDP": "zcdp", "Renyi": "renyi", "GDP": "gdp"}
MODES = {mode.name: mode for mode in (Adaptivity.FULLY_ADAPTIVE, Adaptivity.ADAPTIVE)}
RELATIONS = {relation.value: relation for relation in Adjacency}
TABLES = {"budget", "caps", "spent"}
HEAD = {"epsilon", "delta", "unit", "filter", "adaptivity", "leak", "orders", "adjacency", "dataset"}
CAPS = {"filter", "values", "orders", "unit", "adjacency", "dataset"}
ENTRY = {"mechanism", "purpose", "unit", "cost", "at"}


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file, read: the budget, what is spent, and whom it protects."""

    name: str
    text: str
    total: Capped | Planned
    protects: Protects
    entries: tuple[Mapping[str, Any], ...]
    has_caps: bool

    @classmethod
    def read(cls, name: str, text: str) -> PlanFile:
        """Read the text of a file, or refuse it in one sentence; a text read before is not added up again."""
        return _read(name, text)

    def allowance(self) -> Allowance:
        """The budget, with what is spent subtracted."""
        run = [(mechanism_of(self.name, i, row), 1) for i, row in enumerate(self.entries, 1)]
        target = self.total.filter if isinstance(self.total, Capped) else self.total
        return Allowance(epsilon=target.epsilon, delta=target.delta).resumed(self.total, self.protects, run)

    def total_after(self, charge: Charge) -> Capped | Planned:
        """The total with one more charge, or a refusal."""
        self.protects.taking(charge)
        return self.total.after(charge.mechanism, charge.purpose or "this charge")

    def appended(self, entry: Mapping[str, str | list[str]], protects: Protects) -> str:
        """The text with one more entry; the first entry is written together with the caps."""
        caps = {} if self.has_caps else self._caps(protects)
        if _is_json(self.text):
            whole = json.loads(self.text, parse_float=str)
            whole |= {"caps": caps} if caps else {}
            whole["spent"] = [*whole.get("spent", []), entry]
            return f"{json.dumps(whole, indent=2, ensure_ascii=False)}\n"
        parts = [self.text.rstrip(), ""]
        if caps:
            parts += ["[caps]", *_lines(caps), ""]
        return "\n".join([*parts, "[[spent]]", *_lines(entry), ""]).lstrip("\n")

    def _caps(self, protects: Protects) -> dict[str, str | list[str]]:
        """Whom the file protects from now on, and its caps, if it has any."""
        named = {"unit": protects.unit, "dataset": protects.dataset}
        found: dict[str, str | list[str]] = {k: v for k, v in named.items() if v is not None}
        if protects.adjacency is not None:
            found["adjacency"] = protects.adjacency.value
        if isinstance(self.total, Capped):
            book = self.total.filter
            found |= {"filter": book.name, "values": [spec.written(cap) for cap in book.caps]}
            found |= {"orders": [spec.written(order) for order in book.orders]} if book.orders else {}
        return found

    def is_kept_in(self, longer: str) -> bool:
        """Whether a longer text says the same, with one more entry."""
        try:
            again = PlanFile.read(self.name, longer)
        except DPError:
            return False
        return again.entries[:-1] == self.entries and len(again.entries) == len(self.entries) + 1


def _lines(table: Mapping[str, str | list[str]]) -> list[str]:
    return [f"{name} = {_quoted(value)}" for name, value in table.items()]


def _quoted(value: str | list[str]) -> str:
    """A TOML string, or a list of them: as in JSON, except for one character that only TOML escapes."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a repeated name is refused, as the second would hide the first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(n for n in names if names.count(n) > 1)!r} stands twice in one object")
    return found


@lru_cache(maxsize=8)
def _read(name: str, text: str) -> PlanFile:
    found = _parsed(name, text)
    head = _table(name, "budget", found.get("budget"), HEAD)
    kept = _table(name, "caps", found.get("caps", {}), CAPS)
    entries = found.get("spent", [])
    if not isinstance(entries, list):
        raise InvalidDocument(f"{name!r}: spent is a list of tables, each with a mechanism.")
    rows = tuple(_table(name, f"spent {i}", entry, ENTRY) for i, entry in enumerate(entries, 1))
    total, protects = _start(name, head, kept), _protects(name, head, kept)
    for place, row in enumerate(rows, 1):
        total, protects = _added(name, place, row, total, protects)
    return PlanFile(name, text, total, protects, rows, bool(kept))


def _parsed(name: str, text: str) -> dict[str, Any]:
    guard(text)
    try:
        found = (
            json.loads(text, parse_float=str, object_pairs_hook=_once)
            if _is_json(text)
            else tomllib.loads(guard_keys(text), parse_float=str)
        )
    except (ValueError, RecursionError) as error:
        kind = "JSON" if _is_json(text) else "TOML"
        raise InvalidDocument(f"{name!r} is not {kind}: {str(error) or 'it nests too deeply'}.") from None
    unknown = sorted(found.keys() - TABLES)
    if "kind" in unknown:
        raise InvalidDocument(
            f"{name!r} describes a mechanism, of which `dpcompose epsilon` asks, and no plan with its table budget."
        )
    if unknown:
        raise InvalidDocument(f"{name!r} says {unknown[0]!r}: a plan has a table budget, and [[spent]] tables.")
    return dict(found)


def _table(name: str, what: str, found: object, known: set[str]) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise InvalidDocument(f"{name!r} has no table {what}: a plan states its budget, and each charge, in a table.")
    unknown = sorted(found.keys() - known)
    if unknown:
        raise InvalidDocument(f"{name!r}: {what} says {unknown[0]!r}, and may say {', '.join(sorted(known))}.")
    return found


def _start(name: str, head: Mapping[str, Any], kept: Mapping[str, Any]) -> Capped | Planned:
    """The total with nothing spent: with the caps in the file, or with those that follow from the target now."""
    for wanted in ("epsilon", "delta"):
        if wanted not in head:
            raise InvalidDocument(f"{name!r} states no {wanted} in its table budget; write 0 if it is none.")
    epsilon = spec.within(f"epsilon in {name}", str(head["epsilon"]), EPSILON)
    delta = spec.within(f"delta in {name}", str(head["delta"]), DELTA)
    mode = MODES.get(str(head.get("adaptivity", "FULLY_ADAPTIVE")))
    if mode is None:
        raise InvalidParameter(f"adaptivity in {name}", head["adaptivity"], " or ".join(MODES))
    if mode is not Adaptivity.FULLY_ADAPTIVE:
        for given in ("filter", "leak", "orders"):
            if given in head:
                raise InvalidParameter(f"{given} in {name}", head[given], "nothing beside ADAPTIVE, which needs none")
        return Planned(epsilon, delta, Composition((), mode))
    chosen = _filter(name, head.get("filter", "basic"))
    if not kept:
        leak = spec.within(f"leak in {name}", str(head.get("leak", 0)), DELTA)
        orders = [spec.number(f"orders in {name}", str(a)) for a in head["orders"]] if "orders" in head else None
        made = filter_of(chosen, epsilon=epsilon, delta=delta, leak=leak, orders=orders, adjacency=None)
        return Capped.below(made)
    if _filter(name, kept.get("filter", chosen)) != chosen:
        raise InvalidDocument(f"{name!r} names the filter {chosen} in its budget, and another in its caps.")
    caps, orders_kept = _numbers(name, "caps", kept.get("values", [])), _numbers(name, "orders", kept.get("orders", []))
    book = Filter(chosen, Fraction(epsilon), Fraction(delta), caps, orders_kept, None)
    _ = book.guarantee  # raised caps prove nothing, and are refused
    return Capped.below(book)


def _filter(name: str, said: object) -> str:
    if str(said) not in FILTERS:
        raise InvalidParameter(f"filter in {name}", said, " or ".join(RULES))
    return FILTERS[str(said)]


def _numbers(name: str, what: str, said: object) -> Cost:
    if not isinstance(said, list):
        raise InvalidDocument(f"{name!r}: {what} is a list of numbers.")
    return tuple(Fraction(spec.number(f"{what} in {name}", str(number))) for number in said)


def _protects(name: str, head: Mapping[str, Any], kept: Mapping[str, Any]) -> Protects:
    found = Protects()
    for table in (head, kept):
        relation = table.get("adjacency")
        if relation is not None and relation not in RELATIONS:
            raise InvalidParameter(f"adjacency in {name}", relation, " or ".join(RELATIONS))
        stated = Protects(table.get("unit"), RELATIONS.get(str(relation)), table.get("dataset"))
        found = found.taking(Charge(Composition(), f"{name!r}", stated.unit, stated.adjacency, stated.dataset))
    return found


def _added(
    name: str, place: int, row: Mapping[str, Any], total: Capped | Planned, protects: Protects
) -> tuple[Capped | Planned, Protects]:
    """The total with one more entry. A cost in the file was proved when it was written, and is added as it is."""
    what = f"spent {place} of {name!r}"
    if isinstance(total, Capped) and "cost" in row:
        cost = _numbers(name, f"cost of spent {place}", row["cost"])
        if len(cost) != len(total.sums) or any(c < 0 for c in cost):
            raise InvalidDocument(f"{name!r}, spent {place}: a cost has {len(total.sums)} numbers, none negative.")
        return total.adding(cost, what), protects.taking(Charge(Composition(), what, row.get("unit")))
    mechanism = mechanism_of(name, place, row)
    after = total.after(mechanism, "the plan") if isinstance(total, Capped) else total.followed_by(mechanism)
    return after, protects.taking(Charge(mechanism, what, row.get("unit")))


def mechanism_of(name: str, place: int, entry: Mapping[str, Any]) -> Mechanism:
    """The mechanism of an entry."""
    said = entry.get("mechanism")
    try:
        if isinstance(said, str) and said.strip():
            return spec.loads(said)
        if isinstance(said, dict):
            return spec.from_document(said)
    except DPError as refusal:
        raise InvalidDocument(f"{name!r}, spent {place}: {refusal}") from None
    raise InvalidDocument(f"{name!r}, spent {place}: expected a mechanism such as 'Gaussian(noise_std=2)'.")


__all__ = ["PlanFile", "mechanism_of"]

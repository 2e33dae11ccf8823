"""A budget in a file: what may be spent, what has been, and who is hidden. A charge is appended to it, or refused.

```toml
[budget]
epsilon = 1
delta = 1e-6
unit = "user"

[[spent]]
mechanism = "30 * BlackBox(epsilon=0.01)"
purpose = "last year"
```

The same may be JSON. A mechanism is an expression or a table, as in every document. Numbers are exact.
"""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dpcompose import spec
from dpcompose.description import Adaptivity, Composition, Mechanism
from dpcompose.errors import DPError, InvalidDocument, InvalidParameter
from dpcompose.notions import ZCDP, ApproxDP, Guarantee
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.release.ask.contributions import EveryRow
from dpcompose.release.budget import Allowance
from dpcompose.release.locks import alone
from dpcompose.spec.limits import contents, guard, guard_keys

FILTERS: Mapping[str, type[Guarantee]] = {"ApproxDP": ApproxDP, "ZCDP": ZCDP}
MODES = {mode.name: mode for mode in (Adaptivity.FULLY_ADAPTIVE, Adaptivity.ADAPTIVE)}
HEAD = {"epsilon", "delta", "unit", "filter", "adaptivity"}
ENTRY = {"mechanism", "purpose", "unit", "at"}
ROW = "(every row)"
"""How `EVERY_ROW` is written where the name of a column stands."""


@dataclass(frozen=True, slots=True)
class Pages:
    """What a plan file says."""

    epsilon: Real
    delta: Real
    start: Composition
    """What nothing spent is: it says how later choices may depend on earlier answers."""
    spent: tuple[Mechanism, ...]
    units: frozenset[str]
    """Whom the file says it hides."""

    def allowance(self) -> Allowance:
        """The budget, with what is spent taken off."""
        whole = self.start
        for mechanism in self.spent:
            whole = whole + mechanism
        return Allowance(epsilon=self.epsilon, delta=self.delta, plan=whole)


class Plan:
    """A budget that lasts: each charge is written to its file before the answer is made.

    The file is read anew for every charge, by one process at a time, and replaced whole: after a crash it holds the
    charge or it does not. Charges for different privacy units do not add up to anything, so a file serves one unit.
    """

    def __init__(self, path: str | Path, unit: str | EveryRow) -> None:
        """The file must be there, and say what may be spent."""
        self.path = Path(path)
        self.unit = ROW if isinstance(unit, EveryRow) else unit
        self.allowance()

    def allowance(self) -> Allowance:
        """What the file says now, in memory: charging it leaves the file alone."""
        return self._pages(contents(self.path)).allowance()

    def check(self, mechanism: Mechanism, purpose: str, /) -> None:
        """Refuse what does not fit; charge nothing."""
        self.allowance().spend(mechanism, purpose)

    def spend(self, mechanism: Mechanism, purpose: str, /) -> None:
        """Append the charge to the file, or refuse and leave it as it is."""
        with alone(self.path):
            text = contents(self.path)
            before = self._pages(text)
            before.allowance().spend(mechanism, purpose)
            entry = {"mechanism": spec.dumps(mechanism), "purpose": purpose, "unit": self.unit}
            entry["at"] = datetime.now(UTC).isoformat(timespec="seconds")
            longer = self._appended(text, entry)
            if len(longer.encode()) > spec.MOST_CHARACTERS:
                raise DPError(
                    f"{self.path.name!r} is full: put several charges of it into one, such as 30 * Laplace(…)."
                )
            try:
                kept = self._pages(longer).spent == (*before.spent, mechanism)
            except DPError:
                kept = False
            if not kept:
                raise DPError(f"{self.path.name!r} cannot be added to: write what is spent as [[spent]] tables.")
            _replace(self.path, longer)

    def _appended(self, text: str, entry: Mapping[str, str]) -> str:
        if _is_json(text):
            whole = json.loads(text, parse_float=str)
            whole["spent"] = [*whole.get("spent", []), entry]
            return f"{json.dumps(whole, indent=2, ensure_ascii=False)}\n"
        lines = [f"{name} = {_quoted(value)}" for name, value in entry.items()]
        return "\n".join([text.rstrip(), "", "[[spent]]", *lines, ""]).lstrip("\n")

    def _pages(self, text: str) -> Pages:
        found = _pages(self.path.name, text)
        other = sorted(found.units - {self.unit})
        if other:
            raise DPError(
                f"{self.path.name!r} is the budget of the unit {other[0]!r}, and this release hides {self.unit!r}: "
                "what they cost does not add up."
            )
        return found

    def __repr__(self) -> str:
        return f"Plan({str(self.path)!r}, unit={self.unit!r})"


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _parsed(name: str, text: str) -> dict[str, Any]:
    guard(text)
    try:
        found = (
            json.loads(text, parse_float=str) if _is_json(text) else tomllib.loads(guard_keys(text), parse_float=str)
        )
    except (ValueError, RecursionError) as error:
        kind = "JSON" if _is_json(text) else "TOML"
        raise InvalidDocument(f"{name!r} is not {kind}: {str(error) or 'it nests too deeply'}.") from None
    unknown = sorted(found.keys() - {"budget", "spent"})
    if unknown:
        raise InvalidDocument(f"{name!r} says {unknown[0]!r}: a plan has a table budget, and [[spent]] tables.")
    return dict(found)


def _pages(name: str, text: str) -> Pages:
    found = _parsed(name, text)
    head = _table(name, "budget", found.get("budget"), HEAD)
    for wanted in ("epsilon", "delta"):
        if wanted not in head:
            raise InvalidDocument(f"{name!r} states no {wanted} in its table budget; write 0 if it is none.")
    entries = found.get("spent", [])
    if not isinstance(entries, list):
        raise InvalidDocument(f"{name!r}: spent is a list of tables, each with a mechanism.")
    rows = [_table(name, f"spent {i}", entry, ENTRY) for i, entry in enumerate(entries, 1)]
    epsilon, delta = (
        spec.within(f"{key} in {name}", str(head[key]), param)
        for key, param in (("epsilon", EPSILON), ("delta", DELTA))
    )
    spent = tuple(_mechanism(name, i, row) for i, row in enumerate(rows, 1))
    units = frozenset(str(table["unit"]) for table in (head, *rows) if "unit" in table)
    return Pages(epsilon, delta, _start(name, head), spent, units)


def _table(name: str, what: str, found: object, known: set[str]) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise InvalidDocument(f"{name!r} has no table {what}: a plan states its budget, and each charge, in a table.")
    unknown = sorted(found.keys() - known)
    if unknown:
        raise InvalidDocument(f"{name!r}: {what} says {unknown[0]!r}, and may say {', '.join(sorted(known))}.")
    return found


def _start(name: str, head: Mapping[str, Any]) -> Composition:
    mode = MODES.get(str(head.get("adaptivity", "FULLY_ADAPTIVE")))
    if mode is None:
        raise InvalidParameter(f"adaptivity in {name}", head["adaptivity"], " or ".join(MODES))
    if mode is not Adaptivity.FULLY_ADAPTIVE:
        if "filter" in head:
            raise InvalidParameter(f"filter in {name}", head["filter"], "nothing beside ADAPTIVE, which needs none")
        return Composition((), mode)
    chosen = FILTERS.get(str(head.get("filter", "ApproxDP")))
    if chosen is None:
        raise InvalidParameter(f"filter in {name}", head["filter"], " or ".join(FILTERS))
    return Composition((), mode, chosen)


def _mechanism(name: str, place: int, entry: Mapping[str, Any]) -> Mechanism:
    said = entry.get("mechanism")
    try:
        if isinstance(said, str) and said.strip():
            return spec.loads(said)
        if isinstance(said, dict):
            return spec.from_document(said)
    except DPError as refusal:
        raise InvalidDocument(f"{name!r}, spent {place}: {refusal}") from None
    raise InvalidDocument(f"{name!r}, spent {place}: expected a mechanism such as 'Gaussian(noise_std=2)'.")


def _quoted(text: str) -> str:
    """A TOML string: JSON's, but for the one character that only TOML escapes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _replace(path: Path, text: str) -> None:
    """Another content for a file, whole or not at all, also if the power fails."""
    target = path.resolve()  # a link stays a link
    scratch = None
    try:
        handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, target.stat().st_mode & 0o777)  # noqa: PTH101 - beside its siblings
        os.replace(scratch, target)  # noqa: PTH105
    except OSError as error:
        if scratch is not None:
            Path(scratch).unlink(missing_ok=True)
        raise DPError(f"{path.name!r} cannot be written, so nothing is charged: {error.strerror}.") from None


__all__ = ["Plan"]

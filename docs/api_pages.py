"""The reference of the public names, written from their own docstrings, signatures and declarations.

A page is one room: the names of the root by what they are for, then each package that users import. The docstrings
are Markdown with `$formulas$`; the directives are Sphinx's for Python, so that every name can be linked and searched.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from writing import columns, optional, paragraphs

import dpcompose


@dataclass(frozen=True, slots=True)
class Room:
    """A page of the reference: its title, what it is for, and the homes of the root's names that belong on it."""

    title: str
    purpose: str
    homes: tuple[str, ...] = ()


ROOT = {
    "mechanisms": Room(
        "What was run", "Descriptions: they hold parameters and compute nothing.", ("mechanisms", "description")
    ),
    "planning": Room(
        "Planning and running totals",
        "How much noise, how many runs, which noise, a whole training, and what was lost so far.",
        ("calibration", "advice", "training", "running_total", "filters"),
    ),
    "errors": Room("Refusals", "Every error is a `DPError`, and its message is one sentence.", ("errors",)),
    "questions": Room("Questions and answers", "What it costs, in every usual measure, and why."),
}
PACKAGES = {
    "release": "Noisy statistics of tables, with their price.",
    "ledger": "Budgets that last: accounts in a database that cannot be overspent.",
    "client": "A service from Python, over HTTP.",
    "audit": "Lower bounds from what a mechanism put out.",
    "filters": "Caps that are fixed before the first output.",
    "interop": "Opacus, dp_accounting and OpenDP.",
    "report": "Results as text, pages, tables and data.",
    "plots": "Results as pictures.",
    "spec": "Mechanisms as documents, and back.",
}
TABLES: dict[str, tuple[tuple[str, str], list[tuple[str, str]]]] = {
    "audit": (
        ("from", "ask"),
        [
            ("what an attack guessed", "`from_counts`"),
            ("its scores", "`from_scores`"),
            ("outputs on two neighbouring inputs", "`lower_bound`; many points at once: `region`"),
            ("a mechanism that can be called", "`experiment`"),
            ("one run with many canaries", "`one_run`, `one_run_scores`"),
            ("a file of scores", "`run`, `read_scores`"),
        ],
    ),
    "plots": (
        ("to see", "ask"),
        [
            ("how ε grows with the number of steps, under every theorem", "`growth`"),
            ("how δ falls as ε grows", "`profile`"),
            ("the privacy region", "`plot(region(m))`; of several k `family`, by several theorems `boundaries`"),
            ("the lines that touch it", "`tangents`"),
            ("the least type II error at each type I error", "`tradeoff`"),
            ("the Rényi curve and its best order", "`renyi_curve`"),
            ("the distribution of the privacy loss", "`losses`"),
            ("which noise is best, by the number of queries", "`noises(advise(...))`"),
            ("every theorem side by side", "`plot(compare(m, delta=...))`"),
            ("what an audit reached, over what was promised", "`overlay`"),
        ],
    ),
}
"""Which name of a package to use for what, where its page begins with that."""
LONGEST = 50
"""Longer defaults are not shown."""
COMPUTED = re.compile(r"<(?P<kind>\w+)\.(?P<name>\w+): [^>]*>")


def api() -> dict[str, str]:
    """Every page of the reference, by its name."""
    rooms = by_room()
    pages = {"api/index": index(rooms.items())}
    for name, names in rooms.items():
        head = [f"# {ROOT[name].title}", ROOT[name].purpose, here("dpcompose")]
        pages[f"api/{name}"] = paragraphs([*head, *members("dpcompose", names)])
    for name, purpose in PACKAGES.items():
        pages[f"api/{name}"] = package(name, purpose)
    return pages


def by_room() -> dict[str, list[str]]:
    """The names of the root, each on the page of its home; every name has one."""
    places = {home: room for room, each in ROOT.items() for home in each.homes}
    found: dict[str, list[str]] = {room: [] for room in ("questions", "mechanisms", "planning", "errors")}
    for name in dpcompose.__all__:
        value = getattr(dpcompose, name)
        module = getattr(value, "__module__", None) or type(value).__module__
        found[places.get(module.split(".")[1], "questions")].append(name)
    return {
        room: sorted(names, key=lambda name: (name.isupper(), name[0].isupper(), name)) for room, names in found.items()
    }


def index(rooms: Iterable[tuple[str, list[str]]]) -> str:
    """All names of the root on one page, each with its first sentence."""
    page = [
        "# Reference",
        (
            "`import dpcompose as dpc` brings every name of the root; what is optional is loaded when it is used. A "
            "quantity has the same name everywhere: [notation](../../notation.md)."
        ),
        "```{toctree}\n:hidden:\n\n" + "\n".join([*(name for name, _ in rooms), *PACKAGES]) + "\n```",
    ]
    for room, names in rooms:
        rows = [(link(name, f"dpcompose.{name}"), first(getattr(dpcompose, name))) for name in names]
        page += [f"## [{ROOT[room].title}]({room}.md)", ROOT[room].purpose, columns(("name", "what it is"), rows)]
    rows = [(f"[`dpcompose.{name}`]({name}.md)", purpose) for name, purpose in PACKAGES.items()]
    return paragraphs([*page, "## Packages", columns(("package", "what it is for"), rows)])


def link(shown: str, name: str) -> str:
    """A name that leads to its description."""
    return f"{{py:obj}}`{shown} <{name}>`"


def first(value: object) -> str:
    """The first sentence of a docstring."""
    if not is_named(value):
        return f"One of {link(type(value).__name__, f'dpcompose.{type(value).__name__}')}."
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.]) (?=[A-Z`])", text)[0]


def is_named(value: object) -> bool:
    """Whether a value has words of its own; a constant has those of its kind."""
    return inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)


def package(name: str, purpose: str) -> str:
    """One package: its own words, then its names, then the modules that are public in it."""
    home = f"dpcompose.{name}"
    module = optional(home)
    page = [f"# {home}", purpose]
    if module is None:
        return paragraphs([*page, "This installation lacks what the package needs."])
    at_the_root = {n for n in dpcompose.__all__ if getattr(module, n, None) is getattr(dpcompose, n)}
    names = [n for n in module.__all__ if n not in at_the_root and not n.isupper()]
    inner = [n for n in names if inspect.ismodule(getattr(module, n))]
    page += [words(inspect.getdoc(module) or ""), *([columns(*TABLES[name])] if name in TABLES else [])]
    page += [here(home), *members(home, [n for n in names if n not in inner])]
    for each in inner:
        found = getattr(module, each)
        page += [f"## {home}.{each}", words(inspect.getdoc(found) or ""), here(f"{home}.{each}")]
        page += members(f"{home}.{each}", list(own(found)))
    return paragraphs(page)


def own(module: Any) -> Iterator[str]:
    """The public names that a module defines itself."""
    for name, value in vars(module).items():
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__:
            yield name


def here(home: str) -> str:
    """Names are looked up here from now on."""
    return f"```{{py:currentmodule}} {home}\n```\n"


def members(home: str, names: Iterable[str]) -> Iterator[str]:
    """The descriptions of these names of a module."""
    for name in names:
        value = getattr(optional(home), name)
        if inspect.isclass(value):
            yield from of_class(name, value)
        elif callable(value):
            yield directive("function", f"{name}{signature(value)}", words(inspect.getdoc(value) or ""))
        else:
            yield directive("data", name, first(value))


def of_class(name: str, kind: type) -> Iterator[str]:
    """A class: how it is made, its parameters, and what it can do."""
    made = signature(kind) if is_described(kind) else ""
    inside = [words(inspect.getdoc(kind) or ""), fields_of(kind)]
    for inner, value in sorted(vars(kind).items()):
        if inner.startswith("_"):
            continue
        if isinstance(value, property):
            inside.append(directive("property", f"{inner}", words(inspect.getdoc(value) or ""), ":::"))
        elif isinstance(value, classmethod | staticmethod) or inspect.isfunction(value):
            plain = getattr(kind, inner)
            inside.append(directive("method", f"{inner}{signature(plain)}", words(inspect.getdoc(plain) or ""), ":::"))
        elif isinstance(value, enum.Enum):
            inside.append(directive("attribute", inner, "", ":::"))
    yield directive(
        "exception" if issubclass(kind, BaseException) else "class", f"{name}{made}", "\n\n".join(filter(None, inside))
    )


def is_described(kind: type) -> bool:
    """Whether users make such values themselves: mechanisms, and whatever is no plain result."""
    return issubclass(kind, dpcompose.Mechanism) or not (
        is_dataclass(kind) or issubclass(kind, BaseException | enum.Enum)
    )


def fields_of(kind: type) -> str:
    """The fields of a value: of a mechanism with symbol, range and unit as declared, of a result with their types."""
    if not is_dataclass(kind):
        return ""
    shown = [f for f in fields(kind) if not f.name.startswith("_") and f.init]
    if not shown:
        return ""
    if issubclass(kind, dpcompose.Mechanism):
        hints = get_type_hints(kind, include_extras=True)
        rows = [(f"`{f.name}`", *found) for f in shown if (found := declared(hints[f.name]))]
        return columns(("parameter", "symbol", "allowed"), rows) if rows else ""
    return columns(("field", "type"), [(f"`{f.name}`", f"`{plain_type(str(f.type))}`") for f in shown])


def declared(hint: Any) -> tuple[str, ...]:
    """Symbol and range of a declared parameter, with its unit."""
    found = [each for each in get_args(hint)[1:] if hasattr(each, "allowed")] if get_origin(hint) is Annotated else []
    return (found[0].symbol, ", ".join(filter(None, (found[0].allowed, found[0].unit)))) if found else ()


def signature(value: Any) -> str:
    """How something is called, with types in their short form."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "()"
    parts = [
        p.replace(annotation=annotated(p.annotation), default=shortened(p.default))
        for p in found.parameters.values()
        if p.name != "self"
    ]
    shown = str(found.replace(parameters=parts, return_annotation=annotated(found.return_annotation)))
    return COMPUTED.sub(r"\g<name>", re.sub(r"'([^']*)'(?=[,)=\s]|$)", unquoted, shown)).removesuffix(" -> None")


def shortened(value: Any) -> Any:
    """A default that is too long to show is an ellipsis."""
    return ... if value is not inspect.Parameter.empty and len(repr(value)) > LONGEST else value


def unquoted(found: re.Match[str]) -> str:
    """A type without quotes; a default keeps its own."""
    before = found.string[: found.start()]
    return found[1] if before.endswith((": ", "-> ")) else found[0]


def annotated(annotation: object) -> object:
    """A type in print: `Annotated[X, …]` is X."""
    return plain_type(annotation) if isinstance(annotation, str) else annotation


def plain_type(text: str) -> str:
    """`Annotated[X, …]` is X, wherever it stands."""
    while (start := text.find("Annotated[")) >= 0:
        depth, comma, end = 0, 0, start + len("Annotated[")
        for end in range(start + len("Annotated["), len(text)):
            letter = text[end]
            if letter in ")]" and depth == 0:
                break
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and depth == 0 and not comma:
                comma = end
        text = text[:start] + text[start + len("Annotated[") : comma or end] + text[end + 1 :]
    return text


def directive(kind: str, head: str, body: str, fence: str = "::::") -> str:
    """One described name."""
    return f"{fence}{{py:{kind}}} {' '.join(head.split())}\n\n{body}\n{fence}\n"


def words(text: str) -> str:
    """A docstring as Markdown: examples become blocks of code."""
    return "\n\n".join(
        f"```pycon\n{inspect.cleandoc(block)}\n```" if block.lstrip().startswith(">>>") else block
        for block in re.split(r"\n\s*\n", text)
    )

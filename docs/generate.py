"""Write the pages that say what the library says of itself, so that they cannot disagree with it.

One function a page: it returns the page as MyST text. To add a page, add a function to `PAGES`
and its name to a toctree. The pages land in `docs/generated/`, which git does not keep.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from api_pages import api
from formula_pages import cards, errata
from theorem_map import atlas
from writing import HERE, facts, in_words, optional, paragraphs, standard_theorems, table

if TYPE_CHECKING:
    from sphinx.application import Sphinx

VERBS = {
    "describes": "What is known of a mechanism",
    "composes": "What parts say of the whole",
    "implies": "What one promise says in terms of another",
}

LEGEND = {
    "valid up to": "what may depend on earlier outputs: fixed (nothing), adaptive (queries), fully adaptive (also "
    "parameters and when to stop)",
    "bounds": "which end of an enclosure it supports: upper, lower, or both, when the value is exact",
    "relations": "the neighbouring relations under which it holds",
}


def theorems() -> str:
    """Every theorem in force: its statement, its source and the conditions of its use."""
    page = [
        "# Theorems",
        "What the library can prove with: each statement is the docstring of the code that uses it.",
        table(LEGEND, ("line", "meaning")),
    ]
    for verb, heading in VERBS.items():
        page.append(f"## {heading}")
        for theorem in (t for t in standard_theorems() if t.verb.value == verb):
            page += [
                f"### {theorem.id}: {in_words(theorem.proof.__name__)}",
                theorem.statement,
                conditions(theorem),
            ]
    return paragraphs([*page, "## Sources", sources()])


def sources() -> str:
    """The publications behind the theorems, by their keys."""
    found = {theorem.source.key: theorem.source for theorem in standard_theorems()}
    return table({key: f"{s.authors}. *{s.title}*. {s.venue}, {s.year}." for key, s in sorted(found.items())})


def conditions(theorem: Any) -> str:
    """When a theorem may be used, and where it is from."""
    return facts(
        {
            "source": theorem.source,
            "also known as": ", ".join(theorem.aliases),
            "valid up to": theorem.adaptivity.name.lower().replace("_", " "),
            "relations": ", ".join(sorted(relation.value for relation in theorem.relations)),
            "bounds": str(theorem.side.name).lower(),
            "in code": f"`{theorem.proof.__module__}.{theorem.proof.__name__}`",
        }
    )


def cli() -> str:
    """The command line: every command with its help."""
    page = ["# Command line", "A mechanism on the command line is written as in Python, with exact decimals."]
    adapter = optional("dpcompose.cli")
    if hasattr(adapter, "reference"):
        return str(adapter.reference())
    if not hasattr(adapter, "app"):
        return paragraphs([*page, "This installation has no command line."])
    for name, command in commands("dpcompose", adapter.app):
        usage = {
            f"`{option_names(p)}`": getattr(p, "help", None) or p.type.name for p in command.params if p.name != "help"
        }
        page += [f"## `{name}`", inspect.cleandoc(command.help or "")]
        page += [table(usage, ("option", "meaning"))] if usage else []
    return paragraphs(page)


PAGES: dict[str, Callable[[], str]] = {
    "theorems": theorems,
    "formulas": cards,
    "errata": errata,
    "map": atlas,
    "cli": cli,
}


def commands(name: str, command: Any) -> Iterable[tuple[str, Any]]:
    """A command and everything below it, each with the words that call it."""
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from commands(f"{name} {word}", inner)


def option_names(parameter: Any) -> str:
    """How a parameter is written: its flags, or its name in capitals."""
    flags = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return flags if flags.startswith("-") else str(parameter.name).upper()


def write_pages(_app: object = None) -> None:
    """Write every page that changed, so that an unchanged one is not built again."""
    target = HERE / "generated"
    target.mkdir(exist_ok=True)
    written = {name: page() for name, page in PAGES.items()} | api()
    for name, text in written.items():
        path = target / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

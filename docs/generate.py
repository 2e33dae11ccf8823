"""Write the pages that say what the library says of itself, so that they cannot disagree with it.

One function a page: it returns the page as MyST text. To add a page, add a function to `PAGES`
and its name to a toctree. The pages land in `docs/generated/`, which git does not keep.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
ROOT = HERE.parent
SOURCE = ROOT / "src" / "dpcompose"


VERBS = {
    "describes": "What is known of a mechanism",
    "composes": "What parts say of the whole",
    "implies": "What one promise says in terms of another",
}


def theorems() -> str:
    """Every theorem in force: its statement, its source and the conditions of its use."""
    page = [
        "# Theorems",
        "What the library can prove with: each statement is the docstring of the code that uses it.",
    ]
    for verb, heading in VERBS.items():
        page.append(f"## {heading}")
        for theorem in (t for t in standard_theorems() if t.verb.value == verb):
            page += [
                f"### {theorem.id}: {in_words(theorem.proof.__name__)}",
                theorem.statement,
                conditions(theorem),
            ]
    return paragraphs(page)


def conditions(theorem: Any) -> str:
    """When a theorem may be used, and where it is from."""
    return table(
        {
            "source": theorem.source,
            "also known as": ", ".join(theorem.aliases),
            "valid up to": theorem.adaptivity.name.lower().replace("_", " "),
            "relations": ", ".join(sorted(relation.value for relation in theorem.relations)),
            "bounds": str(theorem.side.name).lower(),
            "in code": f"`{theorem.proof.__module__}.{theorem.proof.__name__}`",
        }
    )


def errata() -> str:
    """What the source documents print, and what they should: the misprints, each with its evidence."""
    page = ["# Errata", "Where a source prints something that does not hold, and what holds instead."]
    cards = optional("dpcompose.formulas")
    entries: Iterable[Any] = getattr(cards, "ERRATA", ())
    page += [f"## {entry.id}\n\n{inspect.cleandoc(str(entry))}" for entry in entries]
    return paragraphs(page)


def atlas() -> str:
    """Where everything lives: the layers from top to bottom, every module with its first sentence."""
    page = ["# Map", "Imports go downwards only. Top to bottom:"]
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = config["tool"]["importlinter"]["contracts"]
    for layer in contract["layers"]:
        names = [name.strip(" ()") for name in layer.split("|")]
        modules = [path for name in names for path in sorted(modules_of(name))]
        if modules:
            said = {f"`{path.relative_to(SOURCE.parent)}`": first_sentence(path) for path in modules}
            page += [f"## {' · '.join(names)}", table(said, ("module", "what it holds"))]
    proofs: dict[str, list[str]] = {}
    for theorem in sorted(standard_theorems(), key=lambda t: str(t.id)):
        proofs.setdefault(theorem.id, []).append(f"`{theorem.proof.__module__}.{theorem.proof.__name__}`")
    if proofs:
        found = {name: ", ".join(functions) for name, functions in proofs.items()}
        page += ["## From a theorem to its code", table(found, ("theorem", "function"))]
    return paragraphs(page)


def cli() -> str:
    """The command line: every command with its help."""
    page = ["# Command line", "A mechanism on the command line is written as in Python, with exact decimals."]
    adapter = optional("dpcompose.cli")
    if adapter is None or not hasattr(adapter, "app"):
        return paragraphs([*page, "This installation has no command line."])
    typer = importlib.import_module("typer.main")
    for name, command in commands("dpcompose", typer.get_command(adapter.app)):
        usage = {
            f"`{option_names(p)}`": getattr(p, "help", None) or p.type.name
            for p in command.params
            if p.name != "help"
        }
        page += [f"## `{name}`", inspect.cleandoc(command.help or "")]
        page += [table(usage, ("option", "meaning"))] if usage else []
    return paragraphs(page)


PAGES: dict[str, Callable[[], str]] = {"theorems": theorems, "errata": errata, "map": atlas, "cli": cli}


# ------------------------------------------------------------------------------------ what is there


def optional(module: str) -> Any:
    """A module that may not be there; one that is there but broken fails loudly."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            return None
        raise


def standard_theorems() -> Sequence[Any]:
    """The theorems in force, after everything that states one has been imported."""
    for home in ("dpcompose", "dpcompose.theorems", "dpcompose.mechanisms"):
        optional(home)
    kernel = optional("dpcompose.kernel")
    return list(kernel.STANDARD.theorems.values()) if kernel else []


def modules_of(name: str) -> Iterable[Path]:
    """The files of a top-level module or package."""
    single = SOURCE / f"{name}.py"
    return [single] if single.exists() else (SOURCE / name).rglob("*.py")


def first_sentence(path: Path) -> str:
    """The first line of a module's docstring, read without running it."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n", 1)[0]


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


# ---------------------------------------------------------------------------------------- in writing


def in_words(name: str) -> str:
    """A function's name as a heading."""
    return name.replace("_", " ")


def table(rows: dict[str, Any], head: tuple[str, str] = ("", "")) -> str:
    """A table of two columns; rows that say nothing are left out."""
    said = {key: str(value).replace("|", "\\|").replace("\n", " ") for key, value in rows.items() if value}
    return "\n".join(
        [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {k} | {v} |" for k, v in said.items())]
    )


def paragraphs(blocks: Iterable[str]) -> str:
    """Blocks, with an empty line between them."""
    return "\n\n".join(blocks) + "\n"


def write_pages(_app: object = None) -> None:
    """Write every page that changed, so that an unchanged one is not built again."""
    target = HERE / "generated"
    target.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        path, text = target / f"{name}.md", page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Wrong calls: one sentence that says what was wrong and what to type instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

import click

from dpcompose.cli.frame import app

SYNONYMS = {
    "--eps": "--epsilon",
    "-e": "--epsilon",
    "-d": "--delta",
    "--alpha": "--order",
    "--output": "--out",
    "-o": "--out",
    "--plot": "--out",
    "--file": "--out",
    "--group-by": "--by",
    "--groupby": "--by",
    "--column": "--value",
    "--min": "--lower",
    "--max": "--upper",
    "--user": "--unit",
    "--id": "--unit",
    "--filter": "--where",
    "--sensitivity": "--max-rows",
    "--n": "--queries",
    "--k": "--queries",
    "--budget": "--budget-plan",
    "--groups": "--max-groups",
    "--rows": "--max-rows",
    "--quantile": "--q",
    "--steps": "--counts",
    "--runs": "--counts",
}
COMMANDS = {
    "eps": "epsilon",
    "ε": "epsilon",
    "δ": "delta",
    "cost": "epsilon",
    "compose": "epsilon",
    "count": "release count",
    "sum": "release sum",
    "mean": "release mean",
    "quantile": "release quantile",
    "median": "release median",
    "histogram": "release histogram",
    "verify": "ledger verify",
    "spend": "ledger spend",
    "plot": "region MECHANISM --out picture.svg",
    "list": "mechanisms",
    "help": "--help, also behind a command, as in dpcompose epsilon --help",
    "version": "--version",
    "server": "serve",
}
SUCH = {
    "delta": "1e-6",
    "epsilon": "1",
    "order": "8",
    "alpha": "0.05",
    "tolerance": "1e-9",
    "digits": "12",
    "confidence": "0.95",
    "claim": "'Gaussian(noise_std=2)'",
    "queries": "100",
    "weights": "1,4,16",
    "counts": "1,10,100",
    "epsilons": "0,0.5,1",
    "by": "city",
    "keys": "north,south",
    "where": "'age >= 18'",
    "max_groups": "1",
    "max_rows": "1",
    "value": "income",
    "lower": "0",
    "upper": "100",
    "q": "0.5",
    "types": "age=int,day=date",
    "budget_plan": "plan.toml",
    "data": "people.csv",
    "statistic": "count",
    "plan": "plan.toml",
    "source": "history.json",
    "scores": "scores.csv",
    "account": "census",
    "shell": "bash",
    "name": "2026-01",
    "store": "sqlite:///budget.db",
    "unit": "person",
    "out": "file.json",
}
EXPRESSION = "'30 * Gaussian(noise_std=2)'"
EXTRA = "Got unexpected extra argument"
OPENING = set("(*=")
DASHES = "–—−‐‑"
"""Dashes that word processors make of hyphens."""


def sentence(misuse: click.ClickException, arguments: Sequence[str]) -> str:
    """What went wrong, and what to type instead."""
    context = getattr(misuse, "ctx", None)
    name = (context.info_name or "") if context is not None and context.parent is not None else ""
    said = misuse.format_message()
    if dashed := next((word for word in arguments if word[:1] in DASHES and word[1:]), ""):
        said = f"{dashed[:40]} begins with a dash that is no hyphen; write --{dashed.lstrip('-' + DASHES)[:40]}."
    elif isinstance(misuse, click.NoSuchOption):
        said = _option(misuse, name, context)
    elif isinstance(misuse, click.MissingParameter) and misuse.param is not None:
        said = _missing(misuse.param, name)
    elif isinstance(misuse, click.BadOptionUsage) and "requires" in said:
        flag = misuse.option_name
        said = f"{flag} needs something behind it, such as {flag} {_such(flag.strip('-').replace('-', '_'))}."
    elif isinstance(misuse, click.BadParameter) and misuse.param is not None:
        said = _number(misuse.param, said)
    elif isinstance(misuse, click.exceptions.NoArgsIsHelpError) and context is not None:
        said = f"{name} needs one of its commands: {', '.join(app_of(context).list_commands(context))}."
    elif said.startswith(EXTRA):
        said = _extra(context, name, said)
    elif said.startswith("No such command"):
        said = _command(context, arguments)
    return said


def app_of(context: click.Context) -> click.Group:
    """The group to which the command belongs."""
    return context.command if isinstance(context.command, click.Group) else app


def flags(context: click.Context | None) -> Iterator[str]:
    """Every flag of a command except help."""
    for parameter in context.command.params if context is not None else ():
        if isinstance(parameter, click.Option):
            yield from (flag for flag in parameter.opts if flag.startswith("--"))


def _option(misuse: click.NoSuchOption, name: str, context: click.Context | None) -> str:
    given = misuse.option_name
    if not name:
        for near in get_close_matches(given, ["--version", "--help"], n=1, cutoff=0.7):
            return f"There is no option {given}; did you mean {near}?"
        return f"Options stand behind a command: dpcompose epsilon {EXPRESSION} --delta 1e-6."
    if given[1:].isdigit():
        return f"{given} would be an option: a count is a whole number from 0 on, as in {EXPRESSION}."
    known = list(flags(context))
    said = given.casefold().replace("_", "-")
    meant = SYNONYMS.get(said, "")
    if meant not in known:
        meant = next(iter(get_close_matches(said, known, n=1, cutoff=0.6)), "")
    if name == "epsilon" and given in {"--eps", "--epsilon"}:
        return f"epsilon finds ε and has no option {given}: give --delta, or ask `dpcompose delta` for δ at an ε."
    if name == "delta" and given in {"--delta", "-d"}:
        return f"delta finds δ and has no option {given}: give --epsilon, or ask `dpcompose epsilon` for ε at a δ."
    hint = f"; did you mean {meant}?" if meant else f": it has {', '.join(known) or 'none'}."
    return f"{name} has no option {given}{hint}"


def _missing(parameter: click.Parameter, name: str) -> str:
    if isinstance(parameter, click.Option):
        return f"{name} needs {parameter.opts[0]}, such as {parameter.opts[0]} {_such(str(parameter.name))}."
    example = "'100 * Gaussian(noise_std=?)'" if name == "calibrate" else EXPRESSION
    such = f"{example}, in quotes" if parameter.name == "mechanism" else _such(str(parameter.name))
    return f"{name} needs {parameter.make_metavar(click.Context(click.Command(name)))}, such as {such}."


def _such(name: str) -> str:
    return SUCH.get(name, "…")


def _number(parameter: click.Parameter, said: str) -> str:
    if not isinstance(parameter.type, click.IntRange):
        return said
    most = "" if parameter.type.max is None else f" to {parameter.type.max}"
    return f"{parameter.opts[0]} takes a whole number from {parameter.type.min}{most}."


def _extra(context: click.Context | None, name: str, said: str) -> str:
    words = [p.name for p in context.command.params if isinstance(p, click.Argument)] if context is not None else []
    if words[:1] == ["mechanism"]:
        return f"{name} takes one MECHANISM: put the whole expression in quotes, as {EXPRESSION}."
    extra = said.partition("(")[2].rstrip(")").split(" ")[0]
    taken = " and ".join(str(word).upper() for word in words) or "no words"
    return f"{name} takes {taken}, and {extra!r} is one too many."


def _command(context: click.Context | None, arguments: Sequence[str]) -> str:
    known = app_of(context).list_commands(context) if context is not None else []
    inside = context is not None and context.parent is not None
    given = next((word for word in arguments[inside:] if not word.startswith("-")), "")
    if OPENING & set(given):
        return f"{given[:40]!r} is no command; ask something of it: dpcompose epsilon '{given[:40]}' --delta 1e-6."
    near = get_close_matches(given, known, n=1, cutoff=0.5)
    meant = COMMANDS.get(given, "") if not inside else ""
    meant = meant or next(iter(near), "")
    hint = f"; did you mean {meant}?" if meant else f": there are {', '.join(known)}."
    return f"There is no command {given[:40]!r}{hint}"


__all__ = ["sentence"]

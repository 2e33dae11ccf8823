"""Commands, declared by their signatures: a parameter's annotation states its type and its help.

```python
def beta(
    mechanism: Mechanism, alpha: Annotated[str, CommandOption(metavar="NUMBER", help="…")]
) -> None: ...
```

A parameter without a default is required. click parses the words; a command is built only when it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import click

from dpcompose.cli.screen import fitted

Function = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Argument:
    """A positional argument."""

    help: str = ""
    metavar: str | None = None
    complete: Callable[[str], list[str]] | None = None
    """Completions of an unfinished word."""


@dataclass(frozen=True, slots=True, init=False)
class CommandOption:
    """An option; its flag is the parameter's name unless other flags are given."""

    flags: tuple[str, ...]
    help: str
    metavar: str | None
    envvar: str | None
    range: tuple[int | None, int | None]

    def __init__(
        self,
        *flags: str,
        help: str = "",  # noqa: A002 - its name everywhere
        metavar: str | None = None,
        envvar: str | None = None,
        min: int | None = None,  # noqa: A002
        max: int | None = None,  # noqa: A002
    ) -> None:
        """The flags and the help, and the range of a whole number."""
        given = {"flags": flags, "help": help, "metavar": metavar, "envvar": envvar, "range": (min, max)}
        for name, value in given.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command that is built when it is first needed."""

    function: Function
    known: Mapping[str, Any] = field(default_factory=dict)

    def made(self, name: str) -> click.Command:
        """The command, built."""
        about = inspect.cleandoc(self.function.__doc__ or "")
        words = list(parameters(self.function))
        return Command(name, callback=self.function, params=words, help=about, **self.known)


class Command(click.Command):
    """A command whose help fits the terminal that asks."""

    def get_help(self, ctx: click.Context) -> str:
        """The help, in the characters and the line length of the terminal."""
        return fitted(super().get_help(ctx))


class CommandGroup(Command, click.Group):
    """Commands by name; each is built, and its module imported, when it is called."""

    def __init__(
        self,
        *given: Any,
        homes: Mapping[str, str] | None = None,
        formerly: Mapping[str, str] | None = None,
        **known: Any,
    ) -> None:
        super().__init__(*given, **known)
        self.places, self.formerly = dict(homes or {}), dict(formerly or {})
        self.recipes: dict[str, LazyCommand | click.Command] = {}

    def add(self, name: str | None = None, **known: Any) -> Callable[[Function], Function]:
        """Register a function as a command."""

        def register(function: Function) -> Function:
            self.recipes[name or function.__name__.strip("_").replace("_", "-")] = LazyCommand(function, known)
            return function

        return register

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """The names, in the order in which the commands were declared."""
        return list(self.places or self.recipes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """The command of this name, also of a former one; None if there is none."""
        cmd_name = self.formerly.get(cmd_name, cmd_name)
        if cmd_name not in self.recipes and cmd_name in self.places:
            import_module(self.places[cmd_name])
        found = self.recipes.get(cmd_name)
        if isinstance(found, LazyCommand):
            found = self.recipes[cmd_name] = found.made(cmd_name)
        return found


def parameters(function: Function) -> Iterator[click.Parameter]:
    """The arguments and options that a function's signature declares."""
    hints = get_type_hints(function, include_extras=True)
    for name, declared in inspect.signature(function).parameters.items():
        kind, said = _annotated(hints[name])
        required = declared.default is inspect.Parameter.empty
        if said is None:
            said = Argument() if required else CommandOption()
        told = {"required": True} if required else {"required": False, "default": declared.default}
        yield (_argument if isinstance(said, Argument) else _option)(name, kind, said, told)


def _annotated(hint: Any) -> tuple[Any, Any]:
    """The type of a parameter, without None, and its annotation."""
    said = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        said = next((note for note in notes if isinstance(note, Argument | CommandOption)), None)
    if get_origin(hint) in {Union, UnionType}:
        (hint,) = (arg for arg in get_args(hint) if arg is not type(None))
    return hint, said


def _argument(name: str, kind: Any, said: Argument, told: Mapping[str, Any]) -> click.Parameter:
    many = get_origin(kind) is list
    known: dict[str, Any] = {"required": False, "nargs": -1} if many else dict(told)
    if said.complete is not None:
        known["shell_complete"] = lambda _context, _parameter, word: said.complete(word)
    made = click.Argument([name], type=_type(kind), metavar=said.metavar or name.upper(), **known)
    made.help = said.help  # older versions of click keep no help of arguments, which the manual prints
    return made


def _option(name: str, kind: Any, said: CommandOption, told: Mapping[str, Any]) -> click.Parameter:
    flags = [name, *(said.flags or (f"--{name.replace('_', '-')}",))]
    known: dict[str, Any] = {"help": said.help, "envvar": said.envvar, **told}
    if kind is bool:
        return click.Option(flags, is_flag=True, **known)
    if kind is int:
        return click.Option(flags, type=click.IntRange(*said.range), metavar=said.metavar or "COUNT", **known)
    many = get_origin(kind) is list
    return click.Option(flags, type=_type(kind), multiple=many, metavar=said.metavar, show_envvar=True, **known)


def _type(kind: Any) -> Any:
    inner = get_args(kind)[0] if get_origin(kind) is list else kind
    return click.Path(path_type=Path) if inner is Path else click.STRING

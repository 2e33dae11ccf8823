"""The command that writes a shell's completion of commands, options, mechanisms and files."""

from __future__ import annotations

from typing import Annotated

from click.shell_completion import get_completion_class

from dpcompose.cli.frame import app, examples
from dpcompose.cli.options import Argument
from dpcompose.cli.screen import show
from dpcompose.errors import InvalidParameter

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DPCOMPOSE_COMPLETE"


@examples(
    "completion bash >> ~/.bashrc",
    "completion zsh >> ~/.zshrc",
    "completion fish > ~/.config/fish/completions/dpcompose.fish",
)
def completion(shell: Annotated[str, Argument("bash, zsh or fish.")]) -> None:
    """The lines by which a shell completes commands, options and mechanisms."""
    kind = get_completion_class(shell) if shell in SHELLS else None
    if kind is None:
        raise InvalidParameter("shell", shell, " or ".join(SHELLS))
    show(kind(app, {}, "dpcompose", VARIABLE).source().strip())

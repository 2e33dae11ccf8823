"""What neighbours keep in files, read and written."""

from __future__ import annotations

from pathlib import Path

from dpcompose import interop, spec
from dpcompose.app.reading import Read
from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.spec.limits import contents

SUFFIXES = (".json", ".toml")


def convert(source: str, to: str, adjacency: str, read: Read | None = None) -> str:
    """A document, ledger or history as the text of another; a file by its suffix, `-` for what `read` gives."""
    names = {relation.value.replace("_", "-"): relation for relation in Adjacency}
    if adjacency not in names:
        raise InvalidParameter("adjacency", adjacency, " or ".join(names))
    if source == "-" and read is not None:
        text = read(spec.MOST_CHARACTERS + 1)
    else:
        text = contents(Path(source)) if source.lower().endswith(SUFFIXES) else source
    return interop.convert(text, to, names[adjacency])

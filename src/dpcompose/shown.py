"""Results that show themselves in a notebook.

What writes their pages, `report`, stands above them and they know nothing of it: it is found by its name, when a
notebook asks, as the root finds every public name. Without it a result shows its plain text.
"""

from __future__ import annotations

from importlib import import_module

WRITER = "dpcompose.report"
PAINTER = "dpcompose.plots.pictures"
READER = "dpcompose.spec"


class NotebookResult:
    """A result that a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Ask the layer that writes pages for this one."""
        return str(import_module(WRITER).html(self))


class Told(NotebookResult):
    """A result whose text begins with what matters, which is all that a prompt shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        first, _, _ = str(self).partition("\n")
        return f"<{type(self).__name__}: {first}>"


class Pictured(NotebookResult):
    """A result that a notebook shows as a picture, too, where pictures can be drawn."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The table, and above it the picture, which is left out without matplotlib."""
        told = NotebookResult._repr_html_(self)
        try:
            picture = import_module(PAINTER).svg(self)
        except ModuleNotFoundError:
            return told
        return f"{picture}\n{told}"


class Explained(NotebookResult):
    """A result that rests on theorems, and names them."""

    __slots__ = ()

    def explain(self) -> str:
        """Why it holds: the theorems behind it, from the conclusion to what was run, with statements and sources."""
        return str(import_module(WRITER).explain(self))


class Written(NotebookResult):
    """A description that reads as on a command line, with numbers as people write them; its `repr` is exact."""

    __slots__ = ()

    def __str__(self) -> str:
        try:
            return str(import_module(READER).brief(self))
        except KeyError:  # a kind that is defined elsewhere has no document
            return repr(self)

"""Results that display themselves in a notebook.

The layer that writes their pages, `report`, is above them and not imported here; it is found by name when a notebook
asks. Without it a result shows its plain text.
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
    """A result whose `repr` is the first line of its text."""

    __slots__ = ()

    def __repr__(self) -> str:
        first, _, _ = str(self).partition("\n")
        return f"<{type(self).__name__}: {first}>"


class Pictured(NotebookResult):
    """A result that a notebook shows also as a picture, where matplotlib is installed."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """The table, with the picture above it where matplotlib is installed."""
        told = NotebookResult._repr_html_(self)
        try:
            picture = import_module(PAINTER).svg(self)
        except ModuleNotFoundError:
            return told
        return f"{picture}\n{told}"


class Explained(NotebookResult):
    """A result that rests on theorems."""

    __slots__ = ()

    def explain(self) -> str:
        """Why it holds: the theorems behind it, from the conclusion to what was run, with statements and sources."""
        return str(import_module(WRITER).explain(self))


class Written(NotebookResult):
    """A description whose text has short numbers; its `repr` is exact."""

    __slots__ = ()

    def __str__(self) -> str:
        try:
            return str(import_module(READER).brief(self))
        except KeyError:  # a kind that is defined elsewhere has no document
            return repr(self)

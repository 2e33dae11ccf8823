"""A picture of any result, on the screen or in a file."""

from __future__ import annotations

import io
import os
import secrets
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.errors import InvalidParameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": "dpcompose"},
    ".pdf": {"CreationDate": None, "Creator": "dpcompose"},
}
"""The formats, with metadata that does not contain the time of writing."""
DOTS_PER_INCH = 200


def plot(result: object, axes: Axes | None = None) -> Figure:
    """Draw a result on the given axes, or on a new figure; returns the figure."""
    canvas = _canvas()
    with canvas.styled():
        if axes is not None:
            canvas.paint(result, axes)
            return axes.get_figure(root=True)  # type: ignore[return-value]
        figure: Figure = canvas.Picture(figsize=canvas.SIZE)
        canvas.paint(result, figure.add_subplot())
    return figure


def figure() -> Figure:
    """An empty figure in the same style, for a picture of your own."""
    canvas = _canvas()
    with canvas.styled():
        return canvas.Picture(figsize=canvas.SIZE)  # type: ignore[no-any-return]


def styled() -> AbstractContextManager[None]:
    """The style of the pictures, as a context for what you add to one."""
    return _canvas().styled()  # type: ignore[no-any-return]


def legend(axes: Axes) -> None:
    """Draw the legend to the right of the axes again, after something was added to a picture."""
    with styled():
        _canvas().beside(axes)


def save(result: object, path: str | os.PathLike[str]) -> Path:
    """Write the picture of a result, or a figure, to a .png, .svg or .pdf file, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InvalidParameter("path", str(target), f"a file name that ends in {', '.join(FORMATS)}")
    figure = result if hasattr(result, "savefig") else plot(result)
    try:
        _write(figure, target)
    except OSError as error:
        raise InvalidParameter("path", str(target), f"a place for a file ({error.strerror})") from None
    return target


def svg(result: object) -> str:
    """The picture of a result as SVG on an opaque background, readable on a light page and on a dark one."""
    held = io.BytesIO()
    with _canvas().styled():
        plot(result).savefig(held, format="svg", bbox_inches="tight", metadata=FORMATS[".svg"])
    drawn = held.getvalue().decode()
    card = "background: #fff; border-radius: 6px; padding: 6px; display: inline-block; max-width: 44rem"
    return f'<div class="dpcompose" style="{card}">{drawn[drawn.index("<svg") :]}</div>'


def _write(figure: Any, target: Path) -> None:
    """Write in memory first, then to a file beside the target, which then replaces it."""
    kind, held = target.suffix.lower(), io.BytesIO()
    with _canvas().styled():
        figure.savefig(held, format=kind[1:], dpi=DOTS_PER_INCH, bbox_inches="tight", metadata=FORMATS[kind])
    draft = target.with_name(f".{target.stem[:60]}-{secrets.token_hex(8)}{kind}")
    try:
        draft.write_bytes(held.getvalue())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _canvas() -> Any:
    """The module of painters; importing it imports matplotlib."""
    try:
        from dpcompose.plots import advised, bars, canvas, squares
        from dpcompose.plots import lines as curves
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError("plot needs matplotlib: install it with pip install 'dpcompose[plot]'.") from None
    return (canvas, advised, bars, curves, squares)[0]


__all__ = ["FORMATS", "figure", "legend", "plot", "save", "styled"]

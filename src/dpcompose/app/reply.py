"""A reply: a result with the question it answers, in every form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpcompose import report, spec
from dpcompose.description import Mechanism
from dpcompose.errors import DPError, InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.prove.answer import Answer
from dpcompose.prove.compare import Comparison

SYMBOLS = {"delta": "δ", "epsilon": "ε", "order": "α", "alpha": "α", "fpr": "FPR", "prior": "π", "tpr": "TPR"}
PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True)
class Reply:
    """A result with the question it answers, ready to be shown."""

    result: Any
    mechanism: Mechanism | str | None = None
    """The mechanism asked about; a family is kept as its text."""
    given: Mapping[str, Real] = field(default_factory=dict)
    sheet: report.Sheet | None = None
    """The result in words, where `report` does not know such results."""
    pictured: Callable[[], Any] | None = None
    """What a picture shows, where it is not the result itself."""
    holds: bool | None = True
    """Whether a claim holds: None if that is unknown, True where nothing was claimed."""

    @property
    def shown(self) -> Any:
        """What the forms are made from: the sheet if there is one, else the result."""
        return self.result if self.sheet is None else self.sheet

    def text(self, digits: int | None = None, *, every: bool = False) -> str:
        """For a terminal of 80 columns; optionally with this many digits, and (for a comparison) every reason."""
        if isinstance(self.shown, Comparison):
            return report.compared(self.shown, every=every)
        if digits is None or not isinstance(self.shown, Answer):
            return f"{self._heading()}{report.text(self.shown)}"
        return f"{self._heading()}{report.in_digits(self.shown, digits)}"

    def json(self, *, numerics: bool = False) -> str:
        """As JSON; optionally with how the answer was computed."""
        asked: dict[str, object] = {} if self.mechanism is None else {"mechanism": self._subject()}
        asked |= {key: spec.written(x) for key, x in self.given.items()}
        return report.to_json(self.shown, **asked, **({"numerics": self.numerics()} if numerics else {}))

    def html(self) -> str:
        """As a whole HTML page."""
        return report.page(self.shown)

    def _repr_html_(self) -> str:
        """As HTML, for a notebook."""
        return report.html(self.shown)

    def csv(self) -> str:
        """As comma-separated values."""
        return report.to_csv(self.result)

    def explanation(self) -> str:
        """The tree of theorems, with statements and sources."""
        return f"{self._heading()}{report.explain(self.result)}"

    def numerics(self) -> report.Sheet:
        """How the answer was computed, and where its width comes from."""
        found = report.sheet(report.numerics(self.result, self.given.get("epsilon")))
        assert found is not None  # noqa: S101 - for the type checker
        return found

    def bibtex(self) -> str:
        """BibTeX for every source."""
        return report.bibtex(self.result)

    def save(self, path: Path) -> None:
        """Write a picture into a file, whole or not at all."""
        from dpcompose import plots

        try:
            plots.save(self.result if self.pictured is None else self.pictured(), path)
        except ModuleNotFoundError as missing:
            raise DPError(str(missing)) from None

    def _subject(self) -> str:
        return self.mechanism if isinstance(self.mechanism, str) else spec.dumps(self.mechanism)  # type: ignore[arg-type]

    def _heading(self) -> str:
        """The question, unless the result names it itself."""
        if self.mechanism is None or isinstance(self.result, Comparison):
            return ""
        said = ", ".join(f"{SYMBOLS.get(key, key)} = {spec.written(value)}" for key, value in self.given.items())
        subject = report.shortened(self._subject())
        return "\n".join([*map(report.wrapped, filter(None, (subject, said))), "", ""])


def picture(path: str | Path) -> Path:
    """The name of a file for a picture; a name with an unknown suffix is refused before anything is computed."""
    target = Path(path)
    if target.suffix.lower() not in PICTURES:
        raise InvalidParameter("out", str(target), f"a file name that ends in {', '.join(PICTURES)}")
    if not target.parent.is_dir():
        raise DPError(f"The file {str(target)!r} cannot be written: there is no such folder.")
    return target

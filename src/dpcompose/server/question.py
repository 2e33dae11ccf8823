"""A question: a document that is read exactly, with an answer in the form that the client wants."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from dpcompose.app import Reply
from dpcompose.app.reading import Document, mechanism_in


def as_text(value: object) -> object:
    """A number as its text; other values are left for the model to refuse."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def as_document(value: object) -> object:
    """A structured document as its text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


NUMBER = {"anyOf": [{"type": "string", "maxLength": 1000}, {"type": "number"}], "examples": ["0.05", "1e-6", "1/3"]}
MECHANISM = {
    "anyOf": [{"type": "string", "minLength": 1}, {"type": "object"}],
    "examples": ["30 * BlackBox(epsilon=0.1, delta=0.001)"],
    "description": "What was run: an expression, or the text of a JSON or TOML document, or a JSON document itself.",
}
Number = Annotated[str, BeforeValidator(as_text), Field(max_length=1000), WithJsonSchema(NUMBER)]
"""Exactly as written: 0.1 is one tenth, whether it stands in quotation marks or not."""
Described = Annotated[str, BeforeValidator(as_document), Field(min_length=1), WithJsonSchema(MECHANISM)]
Places = Annotated[str, Field(max_length=4000)]


class Form(StrEnum):
    """The forms in which an answer can be sent, by media type."""

    JSON = "application/json"
    TEXT = "text/plain"
    BIBTEX = "application/x-bibtex"
    SVG = "image/svg+xml"
    PNG = "image/png"


WITH_SOURCES = (Form.JSON, Form.TEXT, Form.BIBTEX)
WITH_PICTURE = (Form.JSON, Form.TEXT, Form.SVG, Form.PNG)


class Question(BaseModel):
    """A question; unknown names are refused."""

    model_config = ConfigDict(extra="forbid")
    forms: ClassVar[tuple[Form, ...]] = (Form.JSON, Form.TEXT)
    """The forms in which the answer can be sent."""

    def reply(self) -> Reply:
        """The answer, for every form."""
        raise NotImplementedError

    def sent(self, form: Form) -> bytes:
        """The answer in one form."""
        if form is Form.JSON:
            return f"{self.reply().json()}\n".encode()
        if form is Form.TEXT:
            return f"{self.told()}\n".encode()
        if form is Form.BIBTEX:
            return self.reply().bibtex().encode()
        return picture(self.drawn(), form)

    def told(self) -> str:
        """The answer as text for a person."""
        return self.reply().text()

    def drawn(self) -> Reply:
        """The answer as data for a picture."""
        return self.reply()


def picture(reply: Reply, form: Form) -> bytes:
    """The picture that the command line writes with `--out`."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / f"picture.{form.name.lower()}"
        reply.save(place)
        return place.read_bytes()


class AboutMechanism(Question):
    """A question about what was run."""

    mechanism: Described

    @property
    def what(self) -> Document:
        """The mechanism that was run."""
        return mechanism_in(self.mechanism)


__all__ = [
    "WITH_PICTURE",
    "WITH_SOURCES",
    "AboutMechanism",
    "Described",
    "Form",
    "Number",
    "Places",
    "Question",
    "as_text",
]

"""The task of answering questions, and the process that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from dpcompose.server.computing.process import inside
from dpcompose.server.questions import QUESTIONS, Form


def ask(document: Mapping[str, Any], _writes: Callable[[], None]) -> bytes:
    """The answer to a question, in the form that was asked for."""
    question = QUESTIONS[document["name"]].model_validate(document["asked"])
    return question.sent(Form(document["form"]))


def entry(connection: Connection) -> None:
    """The main function of a process that answers questions."""
    inside(connection, {"ask": ask})


__all__ = ["entry"]

"""The shapes of the requests to the books."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict

from dpcompose.server.access.people import Role
from dpcompose.server.bodies import plain
from dpcompose.server.question import Described, Number

Line = Annotated[str, Field(min_length=1, max_length=500)]
"""A short line of printable characters."""
Flag = Annotated[bool, Strict()]


class Wish(BaseModel):
    """A request to the books; unknown names are refused."""

    model_config = ConfigDict(extra="forbid")


class NewAccount(Wish):
    """An account; its caps are fixed from now on."""

    name: Line
    unit: Line
    epsilon: Number | None = None
    delta: Number = "0"
    adjacency: Literal["add-remove", "replace-one", "zero-out"] | None = None
    filter: Line | None = None
    parent: Line | None = None
    leak: Number | None = None
    orders: Line | None = None
    dataset: Line | None = None
    plan: Described | None = None
    blocks: Flag = False


class NewBlock(Wish):
    """A block of an account whose data grows."""

    name: Line


class NewEpoch(Wish):
    """New caps, in a new epoch; the guarantees add up."""

    epsilon: Number
    delta: Number = "0"


class Charge(Wish):
    """A mechanism that is about to run, or one for each disjoint part of the data."""

    mechanism: Described | None = None
    parts: Annotated[dict[str, Described], Field(max_length=1000)] | None = None
    blocks: Annotated[list[Line], Field(max_length=1000)] | None = None
    unit: Line | None = None
    """The unit whose privacy the mechanism protects, if it is to be compared with the account's."""
    adjacency: Literal["add-remove", "replace-one", "zero-out"] | None = None
    dataset: Line | None = None


class Spending(Charge):
    """A charge under a key; with `start` it may run at once, without it the cost is only set aside."""

    key: Line | None = None
    purpose: Annotated[str, Field(max_length=500)] = ""
    start: Flag = True


class Ending(Wish):
    """How a grant ended: the released answer to store, or why there is none."""

    answer: Annotated[Any, BeforeValidator(plain)] = None
    why: Annotated[str, Field(max_length=500)] = ""


class NewToken(Wish):
    """A token for somebody; it may reach no more than its maker's token does."""

    name: Line
    role: Role
    accounts: Annotated[list[Line], Field(min_length=1, max_length=100)] | None = None
    days: Annotated[int, Field(ge=1, le=3650)] = 90


class SignIn(Wish):
    """A token, to be exchanged for a cookie."""

    token: Annotated[str, Field(max_length=200)]


class Acknowledged(Wish):
    """Why a restored backup is to be used again."""

    why: Line


__all__ = [
    "Acknowledged",
    "Charge",
    "Ending",
    "NewAccount",
    "NewBlock",
    "NewEpoch",
    "NewToken",
    "SignIn",
    "Spending",
    "Wish",
]

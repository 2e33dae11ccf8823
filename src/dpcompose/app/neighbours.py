"""Files of other libraries, read and written; and the referee of accountants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpcompose import interop
from dpcompose import referee as judges
from dpcompose.app.reading import LONGEST, Read, relation
from dpcompose.errors import InvalidParameter
from dpcompose.spec.limits import contents

SUFFIXES = (".json", ".toml")


def referee(accountants: Sequence[str], work_ids: Sequence[str], *, markdown: bool = False) -> str:
    """The referee's report on accountants and works, given by name; by default on all."""
    known = judges.works()
    for name in work_ids:
        if name not in known:
            raise InvalidParameter("work", name, " or ".join(known))
    chosen = [judges.named(name) for name in accountants] or [adapter() for adapter in judges.ADAPTERS]
    asked = [known[name] for name in work_ids or known]
    return judges.told([judges.judge(adapter, asked) for adapter in chosen], markdown=markdown)


def convert(source: str, to: str, adjacency: str, read: Read | None = None) -> str:
    """A document, ledger or history as the text of another; the kind of a file is seen from its suffix, `-` reads a
    stream.
    """
    relates = relation(adjacency)
    if source == "-" and read is not None:
        text = read(LONGEST + 1)
    else:
        text = contents(Path(source)) if source.lower().endswith(SUFFIXES) else source
    return interop.convert(text, to, relates)

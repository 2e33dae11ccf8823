"""Why a number holds: the tree of theorems behind it, with statements and sources."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from dpcompose.errors import InvalidParameter
from dpcompose.kernel import Claim, Source, Theorem
from dpcompose.prove.answer import Answer, Answers
from dpcompose.prove.compare import Comparison
from dpcompose.report.latex import readable
from dpcompose.report.text import text
from dpcompose.report.words import promise, reference, subject, title, wrapped

MOST_PREMISES = 12
MOST_INDENT = 24


@singledispatch
def claims(result: object) -> tuple[Claim[Any], ...]:
    """The claims a result rests on, each once: the safe end first."""
    raise InvalidParameter("result", result, "an answer or a comparison: nothing else rests on claims")


@claims.register
def _(result: Claim) -> tuple[Claim[Any], ...]:  # type: ignore[type-arg]
    return (result,)


@claims.register
def _(result: Answer) -> tuple[Claim[Any], ...]:
    return tuple({id(claim): claim for _, claim in _ends(result)}.values())


def _ends(answer: Answer) -> list[tuple[str, Claim[Any]]]:
    """The claim behind each end, the safe one first."""
    ends = [("Upper end", answer.upper_by), ("Lower end", answer.lower_by)]
    ordered = ends if answer.safe_by is answer.upper_by else ends[::-1]
    return [(name, claim) for name, claim in ordered if claim is not None]


@claims.register
def _(result: Answers) -> tuple[Claim[Any], ...]:
    return tuple({id(claim): claim for answer in result.each for claim in claims(answer)}.values())


@claims.register
def _(result: Comparison) -> tuple[Claim[Any], ...]:
    rows = (row.claim for row in result.rows if row.claim is not None)
    return tuple({id(claim): claim for claim in (*claims(result.best), *rows)}.values())


@singledispatch
def sources(result: object) -> dict[str, Source]:
    """Every publication behind a result, by its key."""
    lineages = (claim.lineage() for claim in claims(result))
    found = [claim.theorem.source for lineage in lineages for _, claim in lineage]
    return {source.key: source.at("") for source in found}


@sources.register(list)
@sources.register(tuple)
def _(result: list[Theorem] | tuple[Theorem, ...]) -> dict[str, Source]:
    return {theorem.source.key: theorem.source.at("") for theorem in result}


def bibtex(result: object) -> str:
    """BibTeX for every publication behind a result, each once."""
    return "\n\n".join(source.bibtex for source in sources(result).values())


def explain(result: object) -> str:
    """The proof tree of an answer, a comparison's best answer, or a claim."""
    if isinstance(result, Comparison):
        result = result.best
    blocks = [text(result)] if isinstance(result, Answer) else []
    stated: set[str] = set()
    for claim, heading in zip(claims(result), _headings(result), strict=True):
        blocks.append("\n".join([*heading, *_tree(claim, stated)]))
    references = [wrapped(reference(source), "  ", "    ") for source in sources(result).values()]
    return "\n\n".join([*blocks, "\n".join(["Sources", *references])] if references else blocks)


def _headings(result: object) -> list[list[str]]:
    """The headings of the trees: which end each supports."""
    if not isinstance(result, Answer):
        return [[]]
    ends = _ends(result)
    if len(ends) == 2 and ends[0][1] is ends[1][1]:
        return [["Both ends", ""]]
    return [[name, ""] for name, _ in ends]


def _tree(claim: Claim[Any], stated: set[str]) -> Iterator[str]:
    """The lines of a tree, from the conclusion down to what is known of each part."""
    pending: list[tuple[int, Claim[Any] | int]] = [(0, claim)]
    while pending:
        depth, item = pending.pop()
        indent = " " * min(2 * depth, MOST_INDENT)
        if isinstance(item, int):
            yield f"{indent}… and {item} more of this kind"
            continue
        yield from _node(item, indent, stated)
        kept, left = item.premises[:MOST_PREMISES], len(item.premises) - MOST_PREMISES
        if left > 0:
            pending.append((depth + 1, left))
        pending.extend((depth + 1, premise) for premise in reversed(kept))


def _node(claim: Claim[Any], indent: str, stated: set[str]) -> Iterator[str]:
    """One theorem: its ID and source, what it concludes, and its statement the first time."""
    theorem = claim.theorem
    yield wrapped(f"{theorem.id}: {title(theorem)} ({theorem.source})", indent, f"{indent}  ")
    yield wrapped(f"{subject(claim.subject)} ⊢ {promise(claim.guarantee, claim.side)}", f"{indent}  ", f"{indent}    ")
    if theorem.proof.__name__ not in stated:
        stated.add(theorem.proof.__name__)
        yield wrapped(readable(theorem.statement), f"{indent}  | ", f"{indent}  | ")

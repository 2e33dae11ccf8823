"""The index of the theorems says what their modules state: nothing more, nothing less, nothing else."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest

from dpcompose import index
from dpcompose.kernel import STANDARD, Library, Side, Theorem, Verb
from dpcompose.mechanisms import Gaussian
from dpcompose.notions import ZCDP
from dpcompose.sources import BS16

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import theorem_index  # noqa: E402 - the pages' own modules live beside the pages

STATED = theorem_index.stated()


def test_the_index_is_written_from_what_is_stated() -> None:
    """If not: `python docs/theorem_index.py` writes it anew."""
    assert index.FILE.read_text(encoding="utf-8") == theorem_index.written(list(index.rows()))


@pytest.mark.parametrize("name", sorted(STATED))
def test_a_theorem_is_in_force_as_its_module_states_it(name: str) -> None:
    foretold, stated = STANDARD.theorems[name], STATED[name]
    for part in fields(Theorem):
        if part.name != "proof":
            assert getattr(foretold, part.name) == getattr(stated, part.name), part.name
    assert isinstance(foretold.proof, index.Late)
    assert foretold.proof.read is stated.proof
    assert [foretold.types[i] for i in range(len(foretold.types))] == list(stated.types)
    assert foretold.statement == stated.statement


def test_nothing_else_is_in_force() -> None:
    own = {name for name, t in STANDARD.theorems.items() if t.proof.__module__.startswith("dpcompose.")}
    assert own == set(STATED)
    assert len(STATED) >= 190


def test_a_stale_line_would_be_seen() -> None:
    changed = {**index.rows(), "gdp_adds": {**index.rows()["gdp_adds"], "side": "UPPER"}}
    lines = [f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in changed.items()]
    assert "{\n" + ",\n".join(lines) + "\n}\n" != theorem_index.written(list(changed))


def halved(m: Gaussian) -> ZCDP:
    """A theorem of somebody else."""
    return ZCDP(Fraction(m.noise_std) / 2)


def gdp_adds(m: Gaussian) -> ZCDP:
    """Somebody else's proof under a name that the index has."""
    return ZCDP(Fraction(m.noise_std))


@pytest.mark.parametrize("asked_before", [True, False])
@pytest.mark.parametrize("proof", [halved, gdp_adds])
def test_whoever_states_a_theorem_is_heard(proof: object, asked_before: bool) -> None:
    library = Library()
    before = library.about(Verb.DESCRIBES, Gaussian) if asked_before else []
    theorem = Theorem("OWN", Verb.DESCRIBES, BS16, proof, Side.UPPER)  # type: ignore[arg-type]
    library.add(theorem)
    assert theorem in library.about(Verb.DESCRIBES, Gaussian)
    assert theorem not in before
    assert library.theorems[theorem.proof.__name__] is theorem
    assert len(library.about(Verb.DESCRIBES, Gaussian)) > 1

"""The reference: every public name is on exactly one page, with its words and its parameters."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dpcompose as dpc

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("api_pages")
    finally:
        sys.path.remove(str(DOCS))


@pytest.mark.slow
def test_every_name_of_the_root_is_described_once(pages: ModuleType) -> None:
    written = "\n".join(page for name, page in pages.api().items() if name.removeprefix("api/") in pages.ROOT)
    heads = [line.split("} ", 1)[1] for line in written.splitlines() if line.startswith("::::{py:")]
    described = [head.partition("(")[0].strip() for head in heads]
    assert sorted(described) == sorted(dpc.__all__)


def test_every_package_of_the_root_has_a_page_but_the_engine_rooms(pages: ModuleType) -> None:
    assert set(dpc._PACKAGES) - set(pages.PACKAGES) == {"inversion", "regions"}


@pytest.mark.slow
def test_a_package_describes_what_it_announces(pages: ModuleType) -> None:
    for name in pages.PACKAGES:
        module = importlib.import_module(f"dpcompose.{name}")
        page = pages.package(name, "")
        missing = [
            each
            for each in module.__all__
            if not each.isupper() and not hasattr(dpc, each) and f"}} {each}" not in page and f".{each}\n" not in page
        ]
        assert not missing, name


@pytest.mark.parametrize(
    "text, plain",
    [
        ("Annotated[Real, NOISE]", "Real"),
        ("Annotated[Real | None, Param('ρ', 0, int(1e+300), 'nats', typical=(0.001, 2))]", "Real | None"),
        ("Mapping[str, Annotated[int, Whole('k', 1, 2)]] | None", "Mapping[str, int] | None"),
        ("Sequence[Real]", "Sequence[Real]"),
    ],
)
def test_a_type_is_shown_without_its_declaration(pages: ModuleType, text: str, plain: str) -> None:
    assert pages.plain_type(text) == plain


def test_a_signature_reads_as_it_is_called(pages: ModuleType) -> None:
    assert pages.signature(dpc.Gaussian) == (
        "(*, noise_std: Real, sensitivity: Real = 1, adjacency: Adjacency | None = ADD_REMOVE)"
    )
    assert pages.signature(dpc.epsilon).endswith("rigor: str = 'float') -> Answer | Answers")


def test_the_parameters_of_a_mechanism_are_those_that_are_checked(pages: ModuleType) -> None:
    assert "| `rate` | q | a number from 0 to 1, probability |" in pages.fields_of(dpc.Sampled)
    with pytest.raises(dpc.InvalidParameter):
        dpc.Sampled(dpc.Gaussian(noise_std=1), rate=1.5)


def test_what_is_allowed_is_said_in_a_few_words() -> None:
    said = [letter.allowed for name in dpc.cards() for letter in dpc.formula(name).inputs.values()]
    assert len(said) > 100
    assert not [words for words in said if len(words) > 120]

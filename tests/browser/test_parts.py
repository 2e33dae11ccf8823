"""What the page is made of, looked at without a browser: words, forms, presets, documents, files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given

from cases import cases
from dpcompose import app, spec
from dpcompose.app.fields import declaration
from dpcompose.app.plans import plan
from dpcompose.description import Composition
from dpcompose.parameters import declared
from dpcompose.report.mathml import statement
from dpcompose.server import pages
from dpcompose.server.pages.assets import assets
from dpcompose.server.pages.catalogues import FIRST, catalogues, chosen
from dpcompose.server.pages.presets import presets
from dpcompose.spec.registry import kinds
from strategies import mechanisms

ROOM = Path(pages.__file__).parent
PRESETS = [preset for group in presets() for preset in group["presets"]]
PLACE = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("language", catalogues())
def test_every_language_says_everything(language: str) -> None:
    """A language may describe mechanisms, which the first one leaves to the library; otherwise all say the same."""
    first, other = catalogues()[FIRST].messages, catalogues()[language].messages
    assert {key for key in other if not key.startswith("about.")} == set(first)
    assert not [key for key in first if sorted(PLACE.findall(other[key])) != sorted(PLACE.findall(first[key]))]
    assert all(text.strip() for text in other.values())
    assert catalogues()[language].direction in ("ltr", "rtl")


def test_every_word_that_is_asked_for_is_there() -> None:
    words = catalogues()[FIRST].messages
    modules = "".join(path.read_text() for path in (ROOM / "assets").rglob("*.js"))
    templates = "".join(path.read_text() for path in (ROOM / "templates").glob("*.html"))
    asked = set(re.findall(r'\bt\("([\w.]+)"', modules)) | set(re.findall(r"\bt\('([\w.]+)'[,)]", templates))
    assert len(asked) > 100
    assert not asked - words.keys()


def test_what_the_form_offers_has_a_name_in_every_language() -> None:
    offered = declaration()["kinds"]
    assert list(offered) == [kind.key for kind in kinds().values()]
    wanted = {f"kind.{key}" for key in offered}
    wanted |= {f"field.{f['key']}" for kind in offered.values() for f in kind["fields"] if f["form"] != "mechanism"}
    wanted |= {f"option.{o}" for kind in offered.values() for f in kind["fields"] for o in f.get("options", ())}
    for words in catalogues().values():
        assert not wanted - words.messages.keys() - {"field.items", "field.mechanism"}


def test_the_form_declares_what_the_library_declares() -> None:
    for kind in kinds().values():
        shown = {f["key"]: f for f in declaration()["kinds"][kind.key]["fields"]}
        for name, param in declared(kind.owner).items():
            if not kind.fields[name].derived:
                assert shown[kind.fields[name].key]["allowed"] == param.allowed


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset["key"])
def test_a_preset_is_a_plan_with_an_answer(preset: dict[str, str]) -> None:
    answer = app.epsilon(spec.loads(preset["plan"]), preset["at"]).result
    assert 0 < answer.upper < 100
    assert all(f"preset.{preset['key']}" in words.messages for words in catalogues().values())


@given(mechanisms())
@cases(60)
def test_every_form_of_a_plan_is_the_same_plan(mechanism: object) -> None:
    text = spec.dumps(mechanism)  # type: ignore[arg-type]
    found = plan(text)
    assert spec.loads(found["toml"]) == spec.from_document(found["document"]) == spec.loads(found["expression"])
    again, once = (Composition(((spec.loads(t), 1),)) for t in (f"{found['count']} * ({found['step']})", text))
    assert again.leaves() == once.leaves()


def test_the_language_that_is_liked_best() -> None:
    assert chosen(None, "ar-EG,ar;q=0.9,en;q=0.8").language == "ar"
    assert chosen(None, "fr, en;q=0.5, ar;q=0.1").language == "en"
    assert chosen("ar", "en").language == "ar"
    assert chosen("xx", ";;q=,=;q=z").language == FIRST


def test_every_statement_can_be_shown() -> None:
    for theorem in app.theorems().result:
        assert "$" not in statement(theorem.statement)
    assert statement("<script>$x<y$</script>").startswith("&lt;script&gt;<math")


def test_only_files_of_the_page_are_sent() -> None:
    assert {"base.css", "explorer/main.js", "console/main.js"} <= assets().keys()
    assert not [path for path in assets() if ".." in path or path.startswith("/") or path.endswith(".py")]
    everything = b"".join(asset.body for path, asset in assets().items() if not path.startswith("fonts/"))
    assert not re.search(rb"https?://(?!www\.w3\.org/)", everything)
    assert b"innerHTML" not in everything
    assert b"eval(" not in everything

"""A law asks every kind of mechanism; of kinds whose answers take long it draws fewer cases by day."""

from __future__ import annotations

import pytest
from hypothesis import is_hypothesis_test, settings

from laws.shares import share


@pytest.fixture(autouse=True)
def the_share_of_a_kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scale what a parametrised law draws by how long an answer about the kind takes."""
    law, case = request.function, getattr(request.node, "callspec", None)
    if case is None or "cls" not in case.params or not is_hypothesis_test(law):
        return
    stated = law._hypothesis_internal_use_settings
    scaled = settings(stated, max_examples=share(stated.max_examples, case.params["cls"]))
    monkeypatch.setattr(law, "_hypothesis_internal_use_settings", scaled)

"""The protocol, without a store: explored to the end, and shown to notice what would break it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.ledger.chain import canonical, quickly
from dpcompose.ledger.errors import KeyConflict, WrongState
from dpcompose.ledger.protocol import LEADS, PAST, Act, Balance, DoesNotFit, Effect, Seen, State, transition
from ledger.explorer import COST, Broken, Explorer

ROOM = ((Balance(10, 0),),)


@pytest.mark.slow
@pytest.mark.parametrize("cap", [COST, 2 * COST], ids=["one fits", "both fit"])
def test_no_course_of_three_clients_breaks_a_promise(cap: int) -> None:
    worlds, steps = Explorer(("a", "a", "b"), ("one", "other"), cap).explore()
    assert worlds > 5_000
    assert steps > worlds


def forgetful(seen: Seen, acts: tuple[Act, ...], *rest: object) -> Effect:
    """Charges again whatever comes again."""
    if Act.RESERVE in acts:
        seen = replace(seen, state=None)
    return transition(seen, acts, *rest)


def lenient(seen: Seen, acts: tuple[Act, ...], *rest: object) -> Effect:
    """Gives back what was started."""
    if acts == (Act.CANCEL,) and seen.state is State.STARTED:
        return Effect(State.CANCELLED, (Act.CANCEL,), -1)
    return transition(seen, acts, *rest)


def generous(seen: Seen, acts: tuple[Act, ...], *rest: object) -> Effect:
    """Does not look at the cap."""
    return transition(replace(seen, balances=((Balance(10**9, 0),),)), acts, *rest)


def renewing(seen: Seen, acts: tuple[Act, ...], *rest: object) -> Effect:
    """Lets everybody start who asks."""
    effect = transition(seen, acts, *rest)
    return replace(effect, acts=(*effect.acts, Act.START)) if effect.state is State.STARTED else effect


@pytest.mark.parametrize(
    "step, complaint",
    [
        (forgetful, "charged twice|balance is not|overspent"),
        (lenient, "without a charge"),
        (generous, "overspent"),
        (renewing, "released twice"),
    ],
)
def test_the_explorer_notices_a_broken_protocol(step: object, complaint: str) -> None:
    with pytest.raises(Broken, match=complaint):
        Explorer(("a", "a", "b"), ("one", "other"), COST, step).explore()  # type: ignore[arg-type]


@pytest.mark.parametrize("act", Act)
@pytest.mark.parametrize("state", [None, *State])
def test_every_step_leads_on_repeats_or_is_refused(act: Act, state: State | None) -> None:
    seen = Seen(state, None if state is None else "x", ROOM)
    before, after = LEADS[act]
    if state in PAST[act]:
        assert transition(seen, (act,), "x", ((1,),)) == Effect(state)
    elif state is before:
        effect = transition(seen, (act,), "x", ((1,),))
        assert (effect.state, effect.acts) == (after, (act,))
        assert effect.sign == {Act.RESERVE: 1, Act.CANCEL: -1}.get(act, 0)
    else:
        with pytest.raises(WrongState):
            transition(seen, (act,), "x", ((1,),))


def test_a_key_stands_for_one_thing() -> None:
    with pytest.raises(KeyConflict, match="'k'"):
        transition(Seen(State.COMMITTED, "x", ROOM), (Act.RESERVE, Act.START), "y", ((1,),), "k")


@pytest.mark.parametrize("cost, fits", [(10, True), (11, False), (-1, False), (10**40, False)])
def test_the_last_unit_fits_and_no_more(cost: int, fits: bool) -> None:
    seen = Seen(None, None, ROOM)
    if fits:
        assert transition(seen, (Act.RESERVE,), "x", ((cost,),)).sign == 1
    else:
        with pytest.raises(DoesNotFit):
            transition(seen, (Act.RESERVE,), "x", ((cost,),))


TEXTS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@cases(200)
@given(st.dictionaries(TEXTS, PLAIN, max_size=5))
def test_the_quick_text_of_an_entry_is_the_canonical_one(document: dict) -> None:
    assert quickly(document) == canonical(document)

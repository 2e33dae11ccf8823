"""Every misprint of the source documents, with its verdict checked against computed numbers."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from dpcompose.formulas.errata import ERRATA, Erratum, Severity, SourceDocument

WITH_NUMBERS = [erratum for erratum in ERRATA if erratum.counterexample is not None]

# Printed and true values to ten digits: from the definitions, in mpmath at 40 digits, or in fractions by hand.
GOLDEN = {
    "000-1": (16.72308303, 1.36544671),
    "000-3": (74.33844378, 96.71582795),
    "000-4": (0.0003716972189, 0.0),
    "000-6": (2202583.812, 99.30639862),
    "001-3": (0.8, 3.2),
    "001-4": (5.298525912, 4.377178096),
    "002-1": (0.02, 0.09991674992),
    "002-4": (20.35842127, 5.521836074),
    "002-5": (4.552281388, 7.104562776),
    "002-6": (1.341640786, 1.8),
    "002-7": (47.01576001, 4.774567588),
    "002-8": (20.59494717, 27.1445617),
    "002-9": (11.11786432, 4825.75276),
    "002-10": (11.11786432, 26.03614894),
    "K1": (1.0, 2.0),
    "K4": (3.0, 1.590523064),
    "K5": (0.1573099936, 0.04809205987),
    "K6": (0.04809205987, 0.07623905691),
    "K7": (0.01690775528, 0.3968114189),
    "K8": (0.1670654813, 0.1968488121),
    "K9": (0.001, 0.001207106781),
    "K12": (0.5, 0.5783249638),
    "K13": (0.3, 0.6694230154),
    "K14": (0.3, 0.4547268608),
    "S3": (2.08616127, 0.4621171573),
    "S5": (-1.2, 0.2),
    "S6": (23 / 75, 1.0),
    "S7": (-0.1, 0.0),
    "S8": (0.2360787917, 0.1574909848),
    "S9": (1.0e-9, 1.92651586e-7),
    "S12": (0.75, 0.25),
    "S19": (0.01, 0.01452348365),
}


def named(erratum: Erratum) -> str:
    return erratum.id


def of(verdict: Severity) -> list[Erratum]:
    return [erratum for erratum in WITH_NUMBERS if erratum.verdict is verdict]


def test_all_are_there_once() -> None:
    ids = [erratum.id for erratum in ERRATA]
    assert len(set(ids)) == len(ids) == 55
    assert Counter(e.document for e in ERRATA) == {
        SourceDocument.DRV: 6,
        SourceDocument.RENYI: 4,
        SourceDocument.MIRONOV: 10,
        SourceDocument.KOV: 20,
        SourceDocument.SMITH: 15,
    }


def test_every_verdict_but_typographic_comes_with_numbers() -> None:
    assert not [e.id for e in ERRATA if e.verdict is not Severity.TYPOGRAPHIC and e.counterexample is None]
    assert {e.id for e in WITH_NUMBERS} == set(GOLDEN)


@pytest.mark.parametrize("erratum", WITH_NUMBERS, ids=named)
def test_the_numbers_are_those_known_beforehand(erratum: Erratum) -> None:
    assert erratum.counterexample is not None
    found = erratum.counterexample()
    printed, truth = GOLDEN[erratum.id]
    # The literals have ten digits; the enclosures are narrower.
    assert found.printed.upper == pytest.approx(printed, rel=1e-9, abs=1e-300)
    assert found.truth.upper == pytest.approx(truth, rel=1e-9, abs=1e-300)
    for enclosure in (found.printed, found.correct, found.truth):
        assert enclosure.upper - enclosure.lower <= 1e-9 * abs(enclosure.upper)


@pytest.mark.parametrize("erratum", of(Severity.UNSOUND), ids=named)
def test_what_is_unsound_lies_certainly_below_the_truth(erratum: Erratum) -> None:
    assert erratum.counterexample is not None
    found = erratum.counterexample()
    assert found.understates
    assert found.printed.upper < found.truth.lower
    assert found.corrected


@pytest.mark.parametrize("erratum", of(Severity.LOOSE), ids=named)
def test_what_is_loose_lies_certainly_above_the_correct_form(erratum: Erratum) -> None:
    assert erratum.counterexample is not None
    found = erratum.counterexample()
    assert found.overstates
    assert not found.understates
    assert found.corrected


@pytest.mark.parametrize("erratum", of(Severity.FALSE_CLAIM), ids=named)
def test_what_is_said_to_be_least_is_not(erratum: Erratum) -> None:
    assert erratum.counterexample is not None
    found = erratum.counterexample()
    assert found.printed.lower > found.correct.upper >= found.truth.lower


@pytest.mark.parametrize("erratum", of(Severity.TYPOGRAPHIC), ids=named)
def test_a_slip_that_has_a_number_has_a_wrong_one(erratum: Erratum) -> None:
    assert erratum.counterexample is not None
    found = erratum.counterexample()
    assert found.understates or found.overstates


@pytest.mark.parametrize("erratum", ERRATA, ids=named)
def test_an_entry_can_be_read(erratum: Erratum) -> None:
    said = (erratum.printed, erratum.correct, erratum.remark)
    assert all(text.strip() for text in said)
    assert all(text.count("$") % 2 == 0 for text in said)
    assert erratum.printed != erratum.correct
    assert re.fullmatch(r"00[012]-\d+|[KS]\d+", erratum.id)

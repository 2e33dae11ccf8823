"""The prices of one question or several, as a command line asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from dpcompose.errors import DPError, InvalidParameter
from dpcompose.parameters import short
from dpcompose.release.ask.result import Quote, Release
from dpcompose.release.asking import ALIASES, STATISTICS, quote

BOUNDS = "bounds"
ENDS = (Fraction(1, 100), Fraction(99, 100))
"""The quantiles that are suggested as bounds: 1 of 100 rows is clipped at each end."""

WORDS: Mapping[str, str] = {
    "unit": "{0} needs --unit COLUMN, whom it hides; or --every-row, if each row is somebody else",
    "epsilon": "{0} needs --epsilon, such as --epsilon 0.5",
    "value": "{0} needs --value COLUMN, what is summed, averaged or ranked",
    "lower": "{0} needs --lower and --upper, to which values are clipped; `release bounds` suggests them privately",
    "upper": "{0} needs --lower and --upper, to which values are clipped; `release bounds` suggests them privately",
    "q": "{0} needs --q, such as --q 0.5 for the median",
    "keys": "{0} needs --keys, the groups to answer: only counts find groups by themselves",
    "max_groups": "--by needs --max-groups, in how many groups one unit may be, such as --max-groups 1",
    "delta": "groups that are found in the data cost δ: give --delta, such as 1e-6, or list the groups in --keys",
}


def prices(statistics: str, options: Mapping[str, Any]) -> list[Quote]:
    """The price of each question; several share ε and δ equally."""
    names = [name.strip() for name in statistics.split(",") if name.strip()]
    if not names:
        raise InvalidParameter("statistic", statistics, f"one of {', '.join((*STATISTICS, *ALIASES, BOUNDS))}")
    asked: list[tuple[str, dict[str, Any]]] = []
    for name in names:
        asked += [("quantile", {"q": q}) for q in ENDS] if name == BOUNDS else [(name, {})]
    if len(asked) == 1:
        return [_quoted(names[0], dict(options))]
    whole = {
        **options,
        **{name: Fraction(options[name]) / len(asked) for name in ("epsilon", "delta") if name in options},
    }
    return [_quoted(name, {**_known(name, whole), **more}) for name, more in asked]


def _known(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Of all options, those that this question takes."""
    kind = STATISTICS.get(ALIASES.get(name, (name, {}))[0])
    known = {field.name for field in fields(kind)} if kind is not None else set(options)
    return {key: value for key, value in options.items() if key in known}


def _quoted(name: str, options: dict[str, Any]) -> Quote:
    try:
        return quote(name, **options)
    except InvalidParameter as refusal:
        missing = refusal.value is None or (refusal.name == "delta" and "keys" in refusal.allowed)
        if missing and refusal.name in WORDS:
            article = "an" if name[0] in "aeiou" else "a"
            said = WORDS[refusal.name].format(f"{article} {name}")
            raise DPError(f"{said[0].upper()}{said[1:]}.") from None
        raise


def suggestion(found: list[Release]) -> str:
    """The bounds that a released pair of low and high quantiles suggests, as a sentence."""
    low, high = (float(release.value) for release in found)
    beyond = "a hundredth of the rows lies beyond each"
    return f"Suggested: --lower {short(min(low, high))} --upper {short(max(low, high))} ({beyond})."


__all__ = ["BOUNDS", "prices", "suggestion"]

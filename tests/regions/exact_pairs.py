"""Exact pairs of finite distributions, and everything about them by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

Law = tuple[Fraction, ...]
Pair = tuple[Law, Law]


@st.composite
def laws(draw: st.DrawFn, size: int) -> Law:
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return tuple(Fraction(w, sum(weights)) for w in weights)


@st.composite
def pairs(draw: st.DrawFn, largest: int = 5) -> Pair:
    size = draw(st.integers(1, largest))
    return draw(laws(size)), draw(laws(size))


@st.composite
def maps(draw: st.DrawFn, size: int, largest: int = 4) -> tuple[Law, ...]:
    images = draw(st.integers(1, largest))
    return tuple(draw(laws(images)) for _ in range(size))


def image(law: Law, rows: tuple[Law, ...]) -> Law:
    return tuple(
        sum((w * x for w, x in zip(law, column, strict=True)), Fraction(0)) for column in zip(*rows, strict=True)
    )


def errors(pair: Pair) -> Iterator[tuple[Fraction, Fraction]]:
    """(fnr, fpr) of every deterministic test: accept an event as coming from p."""
    p, q = pair
    for accepted in product((0, 1), repeat=len(p)):
        fnr = sum((y for y, a in zip(q, accepted, strict=True) if a), Fraction(0))
        fpr = sum((x for x, a in zip(p, accepted, strict=True) if not a), Fraction(0))
        yield fnr, fpr


def least_fnr(pair: Pair, alpha: Fraction) -> Fraction:
    """Over all tests mixed of two deterministic ones: the least fnr with fpr at most alpha."""
    points = list(errors(pair))
    best = min(fnr for fnr, fpr in points if fpr <= alpha)
    for x, y in points:
        for z, w in points:
            if y <= alpha < w:
                share = (alpha - y) / (w - y)
                best = min(best, x + share * (z - x))
    return best


def hockey_stick(pair: Pair, factor: Fraction) -> Fraction:
    return max(
        sum((x - factor * y for (x, y), a in zip(zip(*pair, strict=True), s, strict=True) if a), Fraction(0))
        for s in product((0, 1), repeat=len(pair[0]))
    )


def together(first: Pair, second: Pair) -> Pair:
    return tuple(tuple(a * b for a in x for b in y) for x, y in zip(first, second, strict=True))  # type: ignore[return-value]

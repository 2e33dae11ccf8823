"""Special functions of SciPy, fetched when one is first called: importing them takes longer than most answers.

Their values are guesses here as everywhere: what promises something certifies it in balls.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


@cache
def _of(name: str) -> Any:
    return getattr(import_module("scipy.special"), name)


def bdtr(k: Any, n: Any, p: Any) -> Any:
    """The distribution function of a binomial."""
    return _of("bdtr")(k, n, p)


def erfcx(x: Any) -> Any:
    """The scaled complementary error function."""
    return _of("erfcx")(x)


def erfinv(x: Any) -> Any:
    """The inverse of the error function."""
    return _of("erfinv")(x)


def log_ndtr(x: Any) -> Any:
    """The logarithm of the normal distribution function."""
    return _of("log_ndtr")(x)


def ndtr(x: Any) -> Any:
    """The normal distribution function."""
    return _of("ndtr")(x)


def ndtri(p: Any) -> Any:
    """The inverse of the normal distribution function."""
    return _of("ndtri")(p)


def ndtri_exp(y: Any) -> Any:
    """The inverse of the normal distribution function at an exponential."""
    return _of("ndtri_exp")(y)


__all__ = ["bdtr", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri", "ndtri_exp"]

"""Misprints in Kairouz, Oh and Viswanath's paper that change no value: unreadable formulas and wrong names."""

from __future__ import annotations

from dpcompose.formulas.errata.erratum import Erratum, Severity, SourceDocument


def typographic(id_: str, printed: str, correct: str, remark: str) -> Erratum:
    """An erratum without numbers."""
    return Erratum(id_, SourceDocument.KOV, Severity.TYPOGRAPHIC, printed, correct, remark)


ERRATA = (
    typographic(
        "K2",
        r"$O(k\varepsilon^2+\varepsilon\,k\ln(e+\varepsilon\sqrt k/\tilde\delta))$",
        r"$O(k\varepsilon^2+\varepsilon\sqrt{k\ln(e+\varepsilon\sqrt k/\tilde\delta)})$",
        "The radical of the introduction is displaced; the statement agrees with Theorem 3.4.",
    ),
    typographic(
        "K3",
        r"$R(\varepsilon,\delta)$ by two inequalities",
        r"its intersection with the mirror image under $(x,y)\mapsto(1-x,1-y)$",
        "As written the region has no upper end; only the part below $x+y=1$ matters.",
    ),
    typographic(
        "K10",
        r"$\varepsilon^2/4k\ln(e+\varepsilon/\delta)$",
        r"$\sqrt{\varepsilon^2/4k\ln(e+\varepsilon/\delta)}$",
        r"The radical is displaced, and $\delta/2k$ means $\delta/(2k)$.",
    ),
    typographic(
        "K11",
        r"$\mathrm{Lap}(\varepsilon_0/\Delta)$",
        r"scale $b=\Delta/\varepsilon_0$",
        "The paper's argument is the rate, where most give the scale.",
    ),
    typographic(
        "K15",
        "the geometric mechanism has a density",
        r"a probability mass function on the integers, $\frac{e^\varepsilon-1}{e^\varepsilon+1}e^{-\varepsilon|y|}$",
        "A sum, not an integral, is one.",
    ),
    typographic(
        "K16",
        r"$O(\min\{1/\varepsilon^2,1/\delta^2\})$",
        r"$O(\Delta^2\min\{1/\varepsilon^2,1/\delta^2\})$",
        "The sensitivity is left out.",
    ),
    typographic(
        "K18",
        r"$D0$ and $M0$",
        r"$D'$ and $M'$ in Definition 1.1; the database with index 0 elsewhere",
        "Primes have become zeros.",
    ),
    typographic(
        "K21",
        r"$O(k\varepsilon^2+\sqrt{k\varepsilon^2})$",
        r"$O(k\varepsilon^2+\sqrt{k\varepsilon^2\ln(1/\tilde\delta)})$",
        "The logarithm is dropped after Theorem 3.2.",
    ),
    typographic(
        "K22",
        r"$1-(1-\delta)^k(1-\tilde\delta)$ strictly smaller than $k\delta+\tilde\delta$",
        "smaller or equal",
        r"Both are equal at $\delta=0$.",
    ),
    typographic(
        "K23",
        r"mean square error $O(k^2\Delta^2\ln(e+\varepsilon/\delta)/\varepsilon^2)$",
        r"that is the sum over $k$ queries",
        r"One query has $8k\Delta^2\ln(e+\varepsilon/\delta)/\varepsilon^2$.",
    ),
)

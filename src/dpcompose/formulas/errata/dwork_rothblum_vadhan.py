"""Misprints in the notes on Dwork, Rothblum and Vadhan's advanced composition."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.exact.normal import normal_delta, normal_epsilon
from dpcompose.formulas.errata.erratum import (
    Counterexample,
    Erratum,
    Severity,
    SourceDocument,
    exact_epsilon,
    number,
    stated_epsilon,
    value,
)
from dpcompose.numerics.enclosure import Enclosure, Real, ball
from dpcompose.theorems.approx.closed_forms import advanced_composition, basic_composition, homogeneous_closed_form

MILLIONTH = number("1e-6")


def root_of_epsilon() -> Counterexample:
    """The printed root has ε in the radicand; the drift is as it should be."""
    k, e = 1000, number("0.01")
    return Counterexample(
        r"$\varepsilon'$",
        r"$k=1000$, $\varepsilon=0.01$, $\delta'=10^{-6}$",
        value(lambda: (2 * k * -ball(MILLIONTH).log() * ball(e)).sqrt() + k * ball(e) * ball(e).expm1()),
        stated_epsilon(advanced_composition, k, e, MILLIONTH),
        exact_epsilon(k, e, MILLIONTH),
    )


def twice_the_root() -> Counterexample:
    """The printed form without the drift."""
    k, e = 10**6, number("0.01")
    return Counterexample(
        r"$\varepsilon'$",
        r"$k=10^6$, $\varepsilon=0.01$, $\delta'=10^{-6}$",
        value(lambda: 2 * ball(e) * (k * -ball(MILLIONTH).log()).sqrt()),
        stated_epsilon(homogeneous_closed_form, k, e, MILLIONTH),
        exact_epsilon(k, e, MILLIONTH),
    )


def renyi_conversion(mu: Real, at: Real) -> Enclosure:
    r"""The best order for Gaussians of total $\mu$: $\rho+2\sqrt{\rho\ln(1/\delta)}$ with $\rho=\mu^2/2$."""
    rho = Fraction(mu) ** 2 / 2
    return value(lambda: ball(rho) + 2 * (ball(rho) * -ball(at).log()).sqrt())


def renyi_loses_to_advanced() -> Counterexample:
    """At little noise: total variation alone already bounds δ."""
    k, mu, at = 10, number("1e-4"), number("1e-3")
    single = normal_delta(mu**2 / k, 0).upper
    return Counterexample(
        r"$\varepsilon$",
        r"Gaussians, $k=10$, $\mu=\sqrt k\Delta/\sigma=10^{-4}$, $\delta=10^{-3}$",
        renyi_conversion(mu, at),
        stated_epsilon(advanced_composition, k, 0, at, single),
        normal_epsilon(mu**2, at),
    )


def advanced_far_above_basic() -> Counterexample:
    """At large steps."""
    return Counterexample(
        r"$\varepsilon'$",
        r"$k=10$, $\varepsilon=10$, $\delta'=\frac{1}{2}$",
        stated_epsilon(advanced_composition, 10, 10, Fraction(1, 2)),
        stated_epsilon(basic_composition, 10, 10, Fraction(1, 2)),
        exact_epsilon(10, 10, Fraction(1, 2)),
    )


ERRATA = (
    Erratum(
        "000-1",
        SourceDocument.DRV,
        Severity.LOOSE,
        r"$\sqrt{2k\ln(1/\delta')\,\varepsilon}$",
        r"$\varepsilon\sqrt{2k\ln(1/\delta')}$",
        r"Sound for every $\varepsilon$, and too large by $1/\sqrt\varepsilon$ for $\varepsilon<1$: here worse than "
        r"basic composition.",
        root_of_epsilon,
    ),
    Erratum(
        "000-2",
        SourceDocument.DRV,
        Severity.TYPOGRAPHIC,
        r"$\delta'\ge0$",
        r"$0<\delta'\le1$",
        r"At $\delta'=0$ the formula is infinite; basic composition holds there.",
    ),
    Erratum(
        "000-3",
        SourceDocument.DRV,
        Severity.UNSOUND,
        r"$\varepsilon'\approx2\varepsilon\sqrt{k\ln(1/\delta')}$",
        r"$\varepsilon\sqrt{2k\ln(1/\delta')}+k\varepsilon\tanh(\varepsilon/2)$",
        r"Holds only while $\sqrt k\,\varepsilon\le1.171\sqrt{\ln(1/\delta')}$; beyond, the drift counts.",
        twice_the_root,
    ),
    Erratum(
        "000-4",
        SourceDocument.DRV,
        Severity.FALSE_CLAIM,
        "for Gaussians the Rényi route is strictly tighter",
        r"not where total variation stays below $\delta$, nor for $k=1$",
        r"For $\mu$ up to about $3\delta$ advanced composition gives 0 and the Rényi route does not.",
        renyi_loses_to_advanced,
    ),
    Erratum(
        "000-5",
        SourceDocument.DRV,
        Severity.TYPOGRAPHIC,
        "composition is Mironov's Corollary 3",
        "composition is his Proposition 1",
        "Corollary 3 is the curve of the Gaussian.",
    ),
    Erratum(
        "000-6",
        SourceDocument.DRV,
        Severity.TYPOGRAPHIC,
        "tight up to constants",
        r"tight up to constants for $\varepsilon=O(1)$",
        r"Above $\varepsilon=\ln2$ basic composition is better for every $k$.",
        advanced_far_above_basic,
    ),
)

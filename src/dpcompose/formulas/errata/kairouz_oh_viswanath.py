"""Misprints in Kairouz, Oh and Viswanath's paper on optimal composition that change a value."""

from __future__ import annotations

import math
from fractions import Fraction

from dpcompose.exact.normal import normal_delta
from dpcompose.formulas.errata.erratum import (
    Counterexample,
    Erratum,
    Severity,
    SourceDocument,
    exact_delta,
    exact_epsilon,
    number,
    stated_epsilon,
    value,
)
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.theorems.approx.closed_forms import basic_composition, homogeneous_closed_form

K, STEP, LEAK, INDEX = 30, number("0.1"), number("0.001"), 12
FIGURE_3 = r"$k=30$, $\varepsilon=0.1$, $\delta=0.001$"


def epsilon_lost() -> Counterexample:
    """At one randomized response with ε = 2."""
    return Counterexample(
        r"$\varepsilon$ of the whole at $\delta=0$",
        r"$k=1$, $\varepsilon=2$",
        Enclosure.exactly(1),
        stated_epsilon(basic_composition, 1, 2, 0),
        exact_epsilon(1, 2, 0),
    )


def basic_is_not_tight() -> Counterexample:
    """At the ε of basic composition."""
    best = exact_epsilon(K, STEP, K * LEAK, LEAK)
    return Counterexample(
        r"least $\varepsilon$ at $\delta=0.03$",
        FIGURE_3,
        stated_epsilon(basic_composition, K, STEP, K * LEAK, LEAK),
        best,
        best,
    )


def level() -> Fraction:
    r"""$(k-2i)\varepsilon$."""
    return (K - 2 * INDEX) * STEP


def optimal_delta(second: int) -> Ball:
    r"""$\sum_{j<i}$ of $\binom kj e^{(k-j)\varepsilon}$ less $e^{(k-2i+j)\varepsilon}$ times $\binom kj$ to a power."""
    e = ball(STEP)
    terms = (
        math.comb(K, j) * ((K - j) * e).exp() - math.comb(K, j) ** second * ((K - 2 * INDEX + j) * e).exp()
        for j in range(INDEX)
    )
    return sum(terms, Ball(0)) / (1 + e.exp()) ** K


def parentheses_lost() -> Counterexample:
    """With the binomial coefficient on the first exponential only."""
    return Counterexample(
        r"$\delta_i$",
        r"$k=30$, $\varepsilon=0.1$, $i=12$",
        value(lambda: optimal_delta(0)),
        value(lambda: optimal_delta(1)),
        exact_delta(K, STEP, level()),
    )


def leak_lost() -> Counterexample:
    """With the regions that leave out the steps' own δ."""
    return Counterexample(
        r"total $\delta$ at $(k-2i)\varepsilon$",
        FIGURE_3 + r", $i=12$",
        exact_delta(K, STEP, level()),
        value(lambda: 1 - (1 - ball(LEAK)) ** K * (1 - optimal_delta(1))),
        exact_delta(K, STEP, level(), LEAK),
    )


def root_of_k_lost() -> Counterexample:
    """At many small steps."""
    k, e, d = 10**4, number("1e-3"), number("1e-6")
    return Counterexample(
        r"$\tilde\varepsilon$",
        r"$k=10^4$, $\varepsilon=10^{-3}$, $\tilde\delta=10^{-6}$",
        value(lambda: k * ball(e) ** 2 + ball(e) * (ball(e) / ball(d)).log()),
        stated_epsilon(homogeneous_closed_form, k, e, d),
        exact_epsilon(k, e, d),
    )


def radical_misread() -> Counterexample:
    r"""With $\sqrt k\varepsilon^2$ inside the logarithm."""
    k, e, d = 100, number("0.01"), number("0.001")

    def misread() -> Ball:
        x = ball(e)
        inside = Ball(1).exp() + Ball(k).sqrt() * x * x / ball(d)
        return k * x * (x / 2).tanh() + x * (2 * k * inside.log()).sqrt()

    return Counterexample(
        r"$\tilde\varepsilon$",
        r"$k=100$, $\varepsilon=0.01$, $\tilde\delta=0.001$",
        value(misread),
        stated_epsilon(homogeneous_closed_form, k, e, d),
        exact_epsilon(k, e, d),
    )


def slack_too_large() -> Counterexample:
    r"""With $k\delta_0+\tilde\delta$ for $k\delta_0=\delta/2$."""
    total = value(lambda: ball(LEAK) / 2 + ball(LEAK) / Ball(2).sqrt())
    return Counterexample(r"$k\delta_0+\tilde\delta$", r"$\delta=0.001$", Enclosure.exactly(LEAK), total, total)


def promised(at: str, delta: Real, exact: Enclosure) -> Counterexample:
    """A recipe that is said to cost δ, beside its exact cost, which is larger."""
    return Counterexample(r"$\delta$ of the recipe", at, Enclosure.exactly(delta), exact, exact)


def one_gaussian() -> Counterexample:
    """At a large ε."""
    half = Fraction(1, 2)
    mu_squared = value(lambda: 7**2 / (2 * (2 / ball(half)).log()))
    return promised(r"$\varepsilon_0=7$, $\delta_0=\frac{1}{2}$", half, normal_delta(mu_squared, 7))


def logarithm(epsilon: Real, delta: Real) -> Ball:
    r"""$\ln(e+\varepsilon/\delta)$."""
    return (Ball(1).exp() + ball(epsilon) / ball(delta)).log()


def many_gaussians() -> Counterexample:
    """Theorem 4.3 itself, for any number of steps."""
    d = number("0.3")
    mu_squared = value(lambda: 100**2 / (8 * logarithm(100, d)))
    return promised(r"$\varepsilon=100$, $\delta=0.3$, any $k$", d, normal_delta(mu_squared, 100))


def steps_of_the_recipe() -> Counterexample:
    """With a step slightly smaller than the recipe's, which already costs too much."""
    k, d = 100, number("0.3")
    step = value(lambda: 40 / (2 * (k * logarithm(40, d)).sqrt())).lower
    return promised(r"$k=100$, $\varepsilon=40$, $\delta=0.3$", d, exact_delta(k, step, 40, d / (2 * k)))


ERRATA = (
    Erratum(
        "K1",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"$(k,k\delta)$",
        r"$(k\varepsilon,k\delta)$",
        r"The introduction; unsound for $\varepsilon>1$, loose below.",
        epsilon_lost,
    ),
    Erratum(
        "K4",
        SourceDocument.KOV,
        Severity.FALSE_CLAIM,
        r"$\sum\varepsilon_i$ cannot be tightened at $\delta=\sum\delta_i$",
        r"true for $\delta=0$ only",
        r"The leak is $1-\prod(1-\delta_i)<\sum\delta_i$, and what is left buys a smaller $\varepsilon$.",
        basic_is_not_tight,
    ),
    Erratum(
        "K5",
        SourceDocument.KOV,
        Severity.LOOSE,
        r"$\binom kl e^{(k-l)\varepsilon}-e^{(k-2i+l)\varepsilon}$",
        r"$\binom kl(e^{(k-l)\varepsilon}-e^{(k-2i+l)\varepsilon})$",
        "Equation (6) without its parentheses.",
        parentheses_lost,
    ),
    Erratum(
        "K6",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"$k$ regions $R((k-2i)\varepsilon,\delta_i)$",
        r"$R((k-2i)\varepsilon,1-(1-\delta)^k(1-\delta_i))$, $i=0,\ldots,\lfloor k/2\rfloor$",
        r"The steps' own $\delta$ is lost.",
        leak_lost,
    ),
    Erratum(
        "K7",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"$\varepsilon\ln(\varepsilon/\tilde\delta)$",
        r"$\varepsilon\sqrt{k\ln(e+\sqrt k\varepsilon/\tilde\delta)}$",
        r"The text after Theorem 3.4 has lost $\sqrt k$; the factor between the two has no limit.",
        root_of_k_lost,
    ),
    Erratum(
        "K8",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"$\ln(e+\sqrt k\varepsilon^2/\tilde\delta)$",
        r"$\ln(e+\sqrt k\varepsilon/\tilde\delta)$",
        r"The radical of $\sqrt{k\varepsilon^2}$ stands on another line, and is easily read over $k$ alone.",
        radical_misread,
    ),
    Erratum(
        "K9",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"$\tilde\delta=\delta/\sqrt2$",
        r"$\tilde\delta=\delta/2$",
        r"In the derivation of Corollary 4.1, which is true; with $\delta/\sqrt2$ it exceeds its budget.",
        slack_too_large,
    ),
    Erratum(
        "K12",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"$\sigma^2\ge2\Delta^2\ln(2/\delta_0)/\varepsilon_0^2$ for every $\varepsilon_0$",
        r"for $\varepsilon_0\le6.36$",
        r"Fails for large $\varepsilon_0$; calibrate exactly instead.",
        one_gaussian,
    ),
    Erratum(
        "K13",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"Theorem 4.3 for any $\varepsilon>0$",
        r"for $\varepsilon\le8\ln(e+\varepsilon/\delta)$",
        r"The published theorem is false for large $\varepsilon$, first at $83.05$; the range on the right is proved.",
        many_gaussians,
    ),
    Erratum(
        "K14",
        SourceDocument.KOV,
        Severity.UNSOUND,
        r"$\varepsilon_0=\varepsilon/2\sqrt{k\ln(e+\varepsilon/\delta)}$ for every $\varepsilon$",
        r"for $\varepsilon\le2.34\ln(e+\varepsilon/\delta)$",
        r"The recipe of section 4 without a range, with $\delta_0=\delta/2k$.",
        steps_of_the_recipe,
    ),
)

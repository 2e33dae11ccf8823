"""Misprints in Smith's lecture on strong composition, randomized response and the simulation lemma."""

from __future__ import annotations

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
from dpcompose.numerics.enclosure import Enclosure, Real, ball
from dpcompose.regions.simulation_lemma import Masses, excess, simulate
from dpcompose.theorems.approx.closed_forms import basic_composition, strong_composition

P, Q, FACTOR, DELTA = (
    (number("0.6"), number("0.3"), number("0.1")),
    (number("0.2"), number("0.3"), number("0.5")),
    Fraction(2),
    number("0.3"),
)
THREE_POINTS = r"$P=(0.6,0.3,0.1)$, $Q=(0.2,0.3,0.5)$, $e^\varepsilon=2$, $\delta=0.3$"


def least(p: Masses, q: Masses, factor: Fraction) -> Masses:
    r"""$\min\{P,e^\varepsilon Q\}$."""
    return tuple(min(a, factor * b) for a, b in zip(p, q, strict=True))


def expected_ratio() -> Counterexample:
    """With the ratio in place of its logarithm."""
    truth = value(lambda: ball(Fraction(1, 2)).tanh())
    return Counterexample(
        r"mean loss",
        r"$k=1$, $\varepsilon=1$",
        value(lambda: (ball(2).exp() + ball(-1).exp()) / (1 + ball(1).exp())),
        truth,
        truth,
    )


def left_over(p: Masses, q: Masses, factor: Fraction) -> Counterexample:
    """The mass that the printed core leaves for "I am U", which is negative."""
    core = sum(max(a, factor * b) for a, b in zip(p, q, strict=True))
    truth = Enclosure.exactly(excess(p, q, factor))
    return Counterexample(
        r"$1-\sum P'_x$",
        THREE_POINTS,
        Enclosure.exactly(1 - core),
        Enclosure.exactly(1 - sum(least(p, q, factor))),
        truth,
    )


def row_of_u() -> Counterexample:
    r"""$\delta_x(P_X-e^\varepsilon P_Y)_++(1-\delta_x/\delta)P'_x$, summed; $\delta_x$ should be $1/\delta$."""
    d = excess(P, Q, FACTOR)
    core = sum(least(P, Q, FACTOR))
    printed = d * d + (1 - d / DELTA) * core
    correct = sum(simulate(P, Q, FACTOR, DELTA).i_am_u)
    return Counterexample(
        r"total of the row of “I am U”",
        THREE_POINTS,
        Enclosure.exactly(printed),
        Enclosure.exactly(correct),
        Enclosure(1.0, 1.0),
    )


def negative_entry() -> Counterexample:
    """With each core normalised by itself, instead of both brought to one mass first."""
    p, q, factor = (Fraction(9, 11), Fraction(2, 11)), (Fraction(1, 3), Fraction(2, 3)), Fraction(3, 2)
    x, y = least(p, q, factor), least(q, p, factor)
    printed = (factor * x[1] / sum(x) - y[1] / sum(y)) / (factor - 1)
    correct = Enclosure.exactly(simulate(p, q, factor, excess(q, p, factor)).zero[1])
    return Counterexample(
        r"second entry of $F(\cdot\mid0)$",
        r"$P=(\frac{9}{11},\frac{2}{11})$, $Q=(\frac{1}{3},\frac{2}{3})$, $e^\varepsilon=\frac{3}{2}$",
        Enclosure.exactly(printed),
        correct,
        correct,
    )


def strong_above_basic() -> Counterexample:
    r"""At $k=20$, between $\ln(1/\delta')=13.8$ and the crossover 27.9."""
    k, e, at = 20, number("0.01"), number("1e-6")
    return Counterexample(
        r"$\tilde\varepsilon$",
        r"$k=20$, $\varepsilon=0.01$, $\delta'=10^{-6}$",
        stated_epsilon(strong_composition, k, e, at),
        stated_epsilon(basic_composition, k, e, at),
        exact_epsilon(k, e, at),
    )


def promised(at: str, delta: Real, exact: Enclosure) -> Counterexample:
    """A recipe that is said to cost δ, beside its exact cost, which is larger."""
    return Counterexample(r"$\delta$ of the recipe", at, Enclosure.exactly(delta), exact, exact)


def steps_of_the_recipe() -> Counterexample:
    """With a step slightly smaller than the recipe's, which already costs too much."""
    k, at = 10**4, number("1e-9")
    step = value(lambda: 1 / (k * -ball(at).log()).sqrt()).lower
    return promised(r"$k=10^4$, $\varepsilon=1$, $\delta=10^{-9}$", at, exact_delta(k, step, 1))


def one_gaussian() -> Counterexample:
    """At a large ε."""
    at = number("0.01")
    mu_squared = value(lambda: 7**2 / (2 * -ball(at).log()))
    return promised(r"$\varepsilon=7$, $\delta=0.01$", at, normal_delta(mu_squared, 7))


def event_for_area() -> Counterexample:
    r"""At randomized response with $\varepsilon=\ln3$, evaluated at the factor 2."""
    p, q = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))
    area = Enclosure.exactly(excess(p, q, Fraction(2)))
    return Counterexample(
        r"$\delta_x$", r"$P=(\frac{3}{4},\frac{1}{4})$, $e^\varepsilon=2$", Enclosure.exactly(p[0]), area, area
    )


def entry(id_: str, printed: str, correct: str, remark: str) -> Erratum:
    """An erratum without numbers."""
    return Erratum(id_, SourceDocument.SMITH, Severity.TYPOGRAPHIC, printed, correct, remark)


ERRATA = (
    entry("S1", r"$\Lambda$", r"$\Delta$", "The sensitivity in the Gaussian's loss."),
    entry("S2", "for both outputs", "for both inputs", "In the chain rule for losses."),
    Erratum(
        "S3",
        SourceDocument.SMITH,
        Severity.TYPOGRAPHIC,
        r"$E[P_U/P_V]=k\varepsilon\tanh(\varepsilon/2)$",
        r"$E[\ln(P_U/P_V)]=k\varepsilon\tanh(\varepsilon/2)$",
        "The logarithm is lost.",
        expected_ratio,
    ),
    entry("S4", r"conditioned on $\bar B_{1,u}$ not occurring", r"on $B_1$ not occurring", "In Corollary 3.4."),
    Erratum(
        "S5",
        SourceDocument.SMITH,
        Severity.UNSOUND,
        r"$P'_x=\max\{P_X,e^\varepsilon P_Y\}$",
        r"$P'_x=\min\{P_X,e^\varepsilon P_Y\}$",
        "In the general kernel of Lemma 3.1, whose statement is true; the printed cores are no sub-distributions.",
        lambda: left_over(P, Q, FACTOR),
    ),
    Erratum(
        "S6",
        SourceDocument.SMITH,
        Severity.UNSOUND,
        r"$\delta_x(P_X-e^\varepsilon P_Y)_++\ldots$, and “I am U” twice",
        r"$\frac{1}{\delta}(P_X-e^\varepsilon P_Y)_++\ldots$, with a normalised $P'_x$, and “I am V” the second time",
        "The rows are no distributions, even after S5.",
        row_of_u,
    ),
    Erratum(
        "S7",
        SourceDocument.SMITH,
        Severity.UNSOUND,
        r"$F(\cdot\mid0)$ and $F(\cdot\mid1)$ from $P'_x,P'_y$, not normalised",
        "both cores mixed to the same mass first",
        r"Normalising each by itself still gives a negative probability where $\delta_x\ne\delta_y$.",
        negative_entry,
    ),
    Erratum(
        "S8",
        SourceDocument.SMITH,
        Severity.FALSE_CLAIM,
        r"strong composition is much tighter for $k>\ln(1/\delta)$",
        r"for $k>2\ln(1/\delta')/(1-\tanh(\varepsilon/2))^2$",
        "Off by a factor of two.",
        strong_above_basic,
    ),
    Erratum(
        "S9",
        SourceDocument.SMITH,
        Severity.UNSOUND,
        r"$\varepsilon'=\varepsilon/\sqrt{k\ln(1/\delta)}$ for each count",
        r"$\varepsilon'=(\sqrt{2L+2\varepsilon}-\sqrt{2L})/\sqrt k$, $L=\ln(1/\delta)$, or by exact calibration",
        "An order of magnitude, not a recipe.",
        steps_of_the_recipe,
    ),
    entry("S10", r"$k$ and $d$ for one number", r"$d$ queries", "In the example of counts."),
    Erratum(
        "S12",
        SourceDocument.SMITH,
        Severity.TYPOGRAPHIC,
        r"$\delta_x=P_X(A)$",
        r"$\delta_x=P_X(A)-e^\varepsilon P_Y(A)$",
        "The area between the two, not the probability of the event.",
        event_for_area,
    ),
    entry("S13", "Murtaugh", "Murtagh", "A name."),
    entry("S14", "equation (9) is empty", r"equations (7) and (8) say it all", "In the proof of Lemma 3.1."),
    entry(
        "S15",
        r"mean loss $\Theta(\varepsilon^2)$",
        r"for $\varepsilon=O(1)$",
        r"It is $\varepsilon\tanh(\varepsilon/2)$.",
    ),
    Erratum(
        "S19",
        SourceDocument.SMITH,
        Severity.UNSOUND,
        r"$\sigma=\Delta\sqrt{2\ln(1/\delta)}/\varepsilon$ for every $\varepsilon$",
        r"for $\varepsilon\le3.5$ and $\delta\le\frac{1}{2}$",
        r"Fails for large $\varepsilon$ or $\delta$; calibrate exactly instead.",
        one_gaussian,
    ),
)

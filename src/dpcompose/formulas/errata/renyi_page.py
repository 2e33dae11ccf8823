"""Misprints on the page about composition of Rényi differential privacy."""

from __future__ import annotations

from dpcompose.exact.normal import normal_epsilon
from dpcompose.formulas.errata.dwork_rothblum_vadhan import renyi_conversion
from dpcompose.formulas.errata.erratum import Counterexample, Erratum, Severity, SourceDocument, number, value
from dpcompose.mechanisms import Gaussian
from dpcompose.numerics.enclosure import ball
from dpcompose.prove.answer import renyi


def sensitivity_left_out() -> Counterexample:
    """At Δ = 2, where the printed value is four times too small."""
    n, order, sigma = 10, 4, 5
    truth = renyi(n * Gaussian(noise_std=sigma, sensitivity=2), order).enclosure
    return Counterexample(
        r"$D_\alpha$",
        r"$n=10$, $\alpha=4$, $\sigma=5$, $\Delta=2$",
        value(lambda: ball(n * order) / (2 * sigma**2)),
        value(lambda: ball(n * order * 2**2) / (2 * sigma**2)),
        truth,
    )


def one_gaussian() -> Counterexample:
    """At a single step, where no order reaches the exact profile."""
    mu, at = 1, number("1e-5")
    exact = normal_epsilon(mu**2, at)
    return Counterexample(
        r"$\varepsilon$",
        r"one Gaussian, $\mu=1$, $\delta=10^{-5}$",
        renyi_conversion(mu, at),
        exact,
        exact,
    )


ERRATA = (
    Erratum(
        "001-1",
        SourceDocument.RENYI,
        Severity.TYPOGRAPHIC,
        r"$f: D\ R_1$ and $g: R_1\times D\ R_2$",
        r"$f: D\to R_1$ and $g: R_1\times D\to R_2$",
        "The arrows are lost.",
    ),
    Erratum(
        "001-2",
        SourceDocument.RENYI,
        Severity.TYPOGRAPHIC,
        "the proof uses the data-processing inequality",
        r"the inner integral is at most $e^{(\alpha-1)\varepsilon_2}$ for every first output, and comes out",
        "Data processing is the property of post-processing, and is not needed here.",
    ),
    Erratum(
        "001-3",
        SourceDocument.RENYI,
        Severity.UNSOUND,
        r"$n\alpha/2\sigma^2$",
        r"$n\alpha\Delta^2/2\sigma^2$",
        r"Right for $\Delta=1$ only.",
        sensitivity_left_out,
    ),
    Erratum(
        "001-4",
        SourceDocument.RENYI,
        Severity.FALSE_CLAIM,
        "tighter than composing DP guarantees in virtually all regimes",
        r"not for few steps, nor where $\mu$ is at most about $3\delta$",
        "Basic composition of exact Gaussian profiles is better for few steps; for one step always.",
        one_gaussian,
    ),
)

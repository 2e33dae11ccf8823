"""Misprints in Section 5 of Mironov's paper on Rényi differential privacy, as transcribed."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.exact.binomial import two_point_tails
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
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.theorems.approx.closed_forms import homogeneous_closed_form, renyi_corollary

TENTH, PERCENT, BILLIONTH = number("0.1"), number("0.01"), number("1e-9")


def log_inverse(x: Real) -> Ball:
    r"""$\ln(1/x)$."""
    return -ball(x).log()


def likeliest(count: int, step: Real, q: Fraction) -> Enclosure:
    r"""For responses: the greatest $\Pr[f(D)\in S]$ over all (randomized) events with $\Pr[f(D')\in S] = Q$."""
    tails = two_point_tails(count, step)
    index = next(j for j, (under, _) in enumerate(tails) if under.lower > q)
    (x0, miss0), (x1, miss1) = tails[index - 1], tails[index]

    def chord() -> Ball:
        share = (ball(q) - ball(x0)) / (ball(x1) - ball(x0))
        return 1 - ball(miss0) + share * (ball(miss0) - ball(miss1))

    return value(chord)


def norm_by_the_square() -> Counterexample:
    """At randomized response with ε = 0.1."""
    return Counterexample(
        r"bound on $\Vert P-Q\Vert_1$",
        r"$\varepsilon=0.1$",
        value(lambda: 2 * ball(TENTH) ** 2),
        value(lambda: 2 * ball(TENTH)),
        value(lambda: 2 * (ball(TENTH) / 2).tanh()),
    )


def exponent_under_the_root() -> Counterexample:
    """Where the trivial exponent nε is smaller than the printed one."""
    n, e, q = 100, TENTH, BILLIONTH
    most = likeliest(n, e, q)
    return Counterexample(
        r"exponent of $\Pr/Q$",
        r"$n=100$, $\varepsilon=0.1$, $Q=10^{-9}$",
        value(lambda: (2 * ball(e) * n * log_inverse(q)).sqrt()),
        value(lambda: 2 * ball(e) * (n * log_inverse(q)).sqrt()),
        value(lambda: (ball(most) / ball(q)).log()),
    )


def step_with_constant_two() -> Counterexample:
    r"""Where $\alpha = \sqrt{\ln(1/Q)}/\varepsilon\sqrt n$ is above 2."""
    n, e, q = 100, TENTH, BILLIONTH

    def bound() -> Ball:
        return ball(e) * (n * log_inverse(q)).sqrt()

    return Counterexample(
        r"$2(\alpha-1)n\varepsilon^2$",
        r"$n=100$, $\varepsilon=0.1$, $Q=10^{-9}$",
        value(bound),
        value(lambda: 2 * bound()),
        value(lambda: 2 * (log_inverse(q).sqrt() / (ball(e) * Ball(n).sqrt()) - 1) * n * ball(e) ** 2),
    )


def second_case_of_the_proposition() -> Counterexample:
    """At one large step."""
    log = Fraction(9, 10)
    return Counterexample(
        r"$2\ln(1/Q)$",
        r"$n=1$, $\varepsilon=1$, $Q=e^{-0.9}$",
        value(lambda: ball(2 * log).sqrt()),
        value(lambda: 2 * ball(log).sqrt()),
        Enclosure.exactly(2 * log),
    )


def first_case_of_the_corollary() -> Counterexample:
    """At small steps, inside the regime."""
    n, e, at = 100, TENTH, number("1e-6")
    return Counterexample(
        r"$\varepsilon'$",
        r"$n=100$, $\varepsilon=0.1$, $\delta=10^{-6}$",
        value(lambda: (16 * ball(e) * n * log_inverse(at)).sqrt()),
        stated_epsilon(renyi_corollary, n, e, at),
        exact_epsilon(n, e, at),
    )


def second_case_of_the_corollary() -> Counterexample:
    r"""Inside the regime, where $\varepsilon^2n$ is close to $\ln(1/\delta)$."""
    n, e, at, q = 400, TENTH, PERCENT, number("1e-20")
    return Counterexample(
        r"$2\varepsilon\sqrt{n\ln(1/Q)}$",
        r"$n=400$, $\varepsilon=0.1$, $\delta=0.01$, $Q=10^{-20}$",
        value(lambda: (2 * log_inverse(at) * log_inverse(q)).sqrt()),
        value(lambda: 2 * (log_inverse(at) * log_inverse(q)).sqrt()),
        value(lambda: 2 * ball(e) * (n * log_inverse(q)).sqrt()),
    )


def ceiling(at: Real) -> Enclosure:
    r"""$(1+\sqrt2)\ln(1/\delta)$."""
    return value(lambda: (1 + Ball(2).sqrt()) * log_inverse(at))


def strong_where_it_is_weak() -> Counterexample:
    r"""Where $\ln(1/\delta)$ is far below $\varepsilon^2n$."""
    n, e, at = 10**4, 1, PERCENT
    return Counterexample(
        r"$\varepsilon'$",
        r"$n=10^4$, $\varepsilon=1$, $\delta=0.01$",
        ceiling(at),
        stated_epsilon(homogeneous_closed_form, n, e, at),
        exact_epsilon(n, e, at),
    )


def ceiling_of_the_corollary() -> Counterexample:
    """Inside the regime."""
    n, e, at = 460, TENTH, PERCENT
    return Counterexample(
        r"$\varepsilon'$ of Corollary 1",
        r"$n=460$, $\varepsilon=0.1$, $\delta=0.01$",
        ceiling(at),
        value(lambda: 4 * Ball(2).sqrt() * log_inverse(at)),
        stated_epsilon(renyi_corollary, n, e, at),
    )


ERRATA = (
    Erratum(
        "002-1",
        SourceDocument.MIRONOV,
        Severity.UNSOUND,
        r"$\Vert P-Q\Vert_1\le2\varepsilon^2$",
        r"$\Vert P-Q\Vert_1\le2\varepsilon$",
        "A step of the proof of Lemma 1; the lemma is true, and the proof is right with the correct step.",
        norm_by_the_square,
    ),
    Erratum(
        "002-2",
        SourceDocument.MIRONOV,
        Severity.TYPOGRAPHIC,
        r"$D_\infty(P\Vert Q)=\varepsilon$",
        r"$D_\infty(P\Vert Q)\le\varepsilon$",
        "The lemma is about all such pairs.",
    ),
    Erratum(
        "002-3",
        SourceDocument.MIRONOV,
        Severity.TYPOGRAPHIC,
        "equation (3) is cited, and no equation has that number",
        r"it is the line that ends in $(\alpha-1)\varepsilon\Vert P-Q\Vert_1$",
        "The label is lost.",
    ),
    Erratum(
        "002-4",
        SourceDocument.MIRONOV,
        Severity.LOOSE,
        r"$Q\exp\sqrt{2\varepsilon n\ln(1/Q)}$",
        r"$Q\exp(2\varepsilon\sqrt{n\ln(1/Q)})$",
        r"Vacuous: never below the trivial bound, whose exponent is the lesser of $n\varepsilon$ and $\ln(1/Q)$.",
        exponent_under_the_root,
    ),
    Erratum(
        "002-5",
        SourceDocument.MIRONOV,
        Severity.UNSOUND,
        r"$2(\alpha-1)n\varepsilon^2<\varepsilon\sqrt{n\ln(1/Q)}$",
        r"$2(\alpha-1)n\varepsilon^2<2\varepsilon\sqrt{n\ln(1/Q)}$",
        r"A step of the proof of Proposition 4, which needs a constant of at most 1 in Lemma 1. The statement is true, "
        r"since $\frac{1}{2}$ holds there.",
        step_with_constant_two,
    ),
    Erratum(
        "002-6",
        SourceDocument.MIRONOV,
        Severity.UNSOUND,
        r"$2\ln(1/Q)\le\sqrt{2\varepsilon n\ln(1/Q)}$",
        r"$2\ln(1/Q)\le2\varepsilon\sqrt{n\ln(1/Q)}$",
        r"Case II of the same proof; false for $\varepsilon>\frac{1}{2}$.",
        second_case_of_the_proposition,
    ),
    Erratum(
        "002-7",
        SourceDocument.MIRONOV,
        Severity.LOOSE,
        r"$\sqrt{16\varepsilon n\ln(1/\delta)}$",
        r"$2\varepsilon\sqrt{8n\ln(1/\delta)}$",
        r"Case I of Corollary 1; too large by $1/\sqrt{2\varepsilon}$ for small steps.",
        first_case_of_the_corollary,
    ),
    Erratum(
        "002-8",
        SourceDocument.MIRONOV,
        Severity.UNSOUND,
        r"exponent at most $\sqrt{2\ln(1/\delta)\ln(1/Q)}$",
        r"exponent at most $2\sqrt{\ln(1/\delta)\ln(1/Q)}$",
        r"Case II of Corollary 1; it uses $\varepsilon n\le\ln(1/\delta)$, while only "
        r"$\varepsilon^2n\le\ln(1/\delta)$ is assumed. The corollary is true.",
        second_case_of_the_corollary,
    ),
    Erratum(
        "002-9",
        SourceDocument.MIRONOV,
        Severity.UNSOUND,
        r"weak where $\ln(1/\delta)>\varepsilon^2n$",
        r"weak where $\ln(1/\delta)<\varepsilon^2n$",
        "Reversed: the remark praises the bounds where they say nothing.",
        strong_where_it_is_weak,
    ),
    Erratum(
        "002-10",
        SourceDocument.MIRONOV,
        Severity.UNSOUND,
        r"$\varepsilon'<(1+\sqrt2)\ln(1/\delta)$",
        r"$\varepsilon'\le4\sqrt2\ln(1/\delta)$",
        r"True of the sharper value $n\varepsilon^2+\varepsilon\sqrt{2n\ln(1/\delta)}$, not of the corollary's own.",
        ceiling_of_the_corollary,
    ),
)

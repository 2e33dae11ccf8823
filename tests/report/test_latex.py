"""Statements in a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcompose import formulas, theorems
from dpcompose.kernel import STANDARD
from dpcompose.report.latex import readable, unicode

STATED = {t.proof.__name__: t.statement for t in STANDARD.theorems.values()}
STATED |= {name: formulas.formula(name).statement for name in formulas.cards()}
LOADED = theorems


@pytest.mark.parametrize(
    "latex, shown",
    [
        (r"\varepsilon", "ε"),
        (r"(\varepsilon,\delta)", "(ε,δ)"),
        (r"\frac{a}{b}", "a/b"),
        (r"\frac{1}{\alpha-1}\ln x", "1/(α-1) ln x"),
        (r"\frac12", "½"),
        (r"\frac\varepsilon\mu+\frac\mu2", "ε/μ+μ/2"),
        (r"\frac{a+b}{2c}", "(a+b)/(2c)"),
        (r"\frac{e^{x}}{1+e^x}", "e^x/(1+e^x)"),
        (r"\sqrt{2k\ln(1/\delta')}", "√(2k ln(1/δ'))"),
        (r"\sqrt k\varepsilon", "√k ε"),
        (r"\sum_{\ell=0}^{i-1}\binom k\ell", "Σ_(ℓ=0)^(i-1) C(k, ℓ)"),
        (r"\sum\varepsilon_i^2", "Σεᵢ²"),
        (r"\prod(1-\delta_i)", "Π(1-δᵢ)"),
        (r"\tilde\delta\in[0,1]", "δ̃ ∈ [0,1]"),
        (r"x\le y", "x ≤ y"),
        (r"\delta_{\mathrm{pure}}", "δ_pure"),
        (r"e^{-\varepsilon}", "e^(-ε)"),
        (r"\left(1-\frac1\alpha\right)^\alpha", "(1-1/α)^α"),
        (r"\min\{a,\,b\}", "min{a, b}"),
        (r"\lfloor k/2\rfloor", "⌊k/2⌋"),
        (r"\mathrm{E}(1-e^{\varepsilon-S})_+", "E(1-e^(ε-S))₊"),
        (r"\infty", "∞"),
        (r"\unheard", "unheard"),
        ("", ""),
    ],
)
def test_a_formula(latex: str, shown: str) -> None:
    assert unicode(latex) == shown


@pytest.mark.parametrize("name", STATED)
def test_every_statement_reads_without_latex(name: str) -> None:
    shown = readable(STATED[name])
    assert shown
    assert not set(shown) & set("\\$")
    assert shown.count("(") == shown.count(")") or "[" in shown  # half-open intervals are allowed
    words = {w for w in shown.replace("(", " ").split() if w in {"frac", "sqrt", "binom", "textstyle", "mathrm"}}
    assert not words


def test_a_displayed_formula_has_its_own_line() -> None:
    assert readable("with\n$$a = \\frac{1}{b}$$ for all $b$.") == "with\n    a = 1/b\nfor all b."


@given(st.text(alphabet="\\frac{}^_$ a1+sqrt()\n", max_size=60))
def test_any_text_is_survived(latex: str) -> None:
    assert isinstance(readable(latex), str)

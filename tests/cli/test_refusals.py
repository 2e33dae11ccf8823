"""Bad input: one clear sentence, exit code 2, and nothing written."""

from __future__ import annotations

import pytest

ONE = "BlackBox(epsilon=1)"


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["region", ONE, "--out", "x.gif"], "out = 'x.gif' is not allowed: expected a file name that ends in .png"),
        (["region", ONE, "--out", "no/such/folder/x.svg"], "cannot be written: there is no such folder"),
        (["region", ONE, "--tolerance", "2"], "tolerance = 2 is not allowed"),
        (["growth", ONE, "--delta", "2"], "delta = 2 is not allowed"),
        (["growth", ONE, "--delta", "0", "--counts", "1:x"], "counts = x is not allowed"),
        (["growth", ONE, "--delta", "0", "--counts", "9:1"], "a range that ends after it begins"),
        (["growth", ONE, "--delta", "0", "--counts", "1:2:3:4"], "a range such as 1:1000"),
        (["growth", ONE, "--delta", "0", "--counts", "1:9:1"], "from 2 to 2000"),
        (["growth", ONE, "--delta", "0", "--counts", ""], "counts = "),
        (["growth", ONE, "--delta", "0", "--counts", "1," * 3000], "at most 2000 places"),
        (["profile", ONE, "--epsilons", "-1,2"], "epsilons = -1 is not allowed"),
        (["refute", ONE, "--epsilon", "1"], "refute needs --delta, such as --delta 1e-6."),
        (["refute", ONE, "--epsilon", "nan", "--delta", "0"], "epsilon = nan is not allowed"),
        (["beta", ONE, "--alpha", "1.1"], "alpha = 1.1 is not allowed"),
        (["risk", ONE, "--prior", "1"], "prior = '1' is not allowed"),
        (["risk", ONE, "--fpr", "two"], "fpr = two is not allowed"),
        (["audit", "nothing.csv", "--delta", "0"], "'nothing.csv' cannot be read"),
        (["audit", "nothing.xls", "--delta", "0"], "must end in .csv or .npz"),
        (["audit", "nothing.csv", "--delta", "0", "--confidence", "1"], "confidence"),
        (["audit", "nothing.csv", "--delta", "0", "--claim", "Laplac(scale=1)"], "did you mean Laplace?"),
        (["calibrate", ONE, "--epsilon", "1", "--delta", "0"], "has no ?"),
        (["calibrate", "BlackBox(epsilon=?)", "--epsilon", "1"], "epsilon and delta"),
        (["calibrate", "BlackBox(epsilon=?)"], "epsilon and delta"),
        (["calibrate", "Laplace(scale=?, sensitivity=2", "--advantage", "0.1"], "expected ',' or ')'"),
        (["calibrate", "Laplace(skale=?)", "--advantage", "0.1"], "did you mean scale?"),
        (["epsilon", "Gaussian(noise_std=?)", "--delta", "0.1"], "noise_std (column 20) = ? is not allowed"),
        (["document", ONE, "--form", "x"], "document has no option --form: it has none."),
        (["convert", ONE, "--to", "pickle"], "to = 'pickle' is not allowed: expected dpcompose or"),
        (["explain", ONE, "--delta", "0", "--json", "--bibtex"], "at most one of them"),
    ],
)
def test_a_refusal_is_one_sentence_and_exit_code_2(run, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1

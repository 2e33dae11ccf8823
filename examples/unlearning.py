"""Certified unlearning: T noisy gradient steps make a model forget, and a certificate says how well.

A logistic regression is fitted on all rows. Some rows are withdrawn. Instead of fitting again, the model takes T
gradient steps on the rows that remain, with normal noise on each. The certificate: whoever sees the result cannot tell
it, beyond (ε, δ), from the result of the same steps after a fit that never saw the withdrawn rows. The proof is in
`docs/unlearning.md`.

Run with `python examples/unlearning.py`: prints a table and writes `out/unlearning.png`. The noise of this example is
repeatable, so that its numbers are; a service would draw it from a source for secrets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

import dpcompose as dpc
from dpcompose import plots
from dpcompose.plots.looks import BLACK, BLUE, DASHED, GREEN, ORANGE

ROWS, TESTS, FEATURES, WITHDRAWN = 4000, 4000, 10, 2
PENALTY = Fraction(40)
DELTA = Fraction("1e-5")
EPSILONS = (Fraction("0.5"), Fraction(1), Fraction(2))
STEPS = (1, 10, 25, 50, 75, 100, 150, 200)
COLOURS = (ORANGE, BLUE, GREEN)


@dataclass(frozen=True)
class Task:
    r"""Minimise $\sum_i\ln(1+e^{-y_i x_i\theta}) + \frac\Lambda2|\theta|^2$, where $|x_i| \le 1$ and $y_i = \pm1$.

    Every term has a gradient of norm at most 1, and the sum is Λ-convex and (rows/4 + Λ)-smooth.
    """

    features: np.ndarray
    labels: np.ndarray

    @property
    def smoothness(self) -> Fraction:
        """No second derivative is larger."""
        return Fraction(len(self.labels), 4) + PENALTY

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """The slope of the whole sum."""
        pull = self.labels / (1 + np.exp(self.labels * (self.features @ theta)))
        return float(PENALTY) * theta - self.features.T @ pull

    def fitted(self) -> np.ndarray:
        """The minimum, by Newton's method, to the last digits of the floats."""
        theta = np.zeros(self.features.shape[1])
        for _ in range(50):
            p = 1 / (1 + np.exp(-(self.features @ theta)))
            curvature = (self.features.T * (p * (1 - p))) @ self.features + float(PENALTY) * np.eye(len(theta))
            theta = theta - np.linalg.solve(curvature, self.gradient(theta))
        return theta

    def accuracy(self, theta: np.ndarray) -> float:
        """The share of labels that the model gets right."""
        return float((np.sign(self.features @ theta) == self.labels).mean())


def made(rows: int, seed: int) -> Task:
    """Labels that follow a linear rule, with some luck; the features are of very different sizes, as they often are."""
    draw = np.random.default_rng(seed)
    truth = 20 * np.random.default_rng(0).normal(size=FEATURES)
    features = draw.normal(size=(rows, FEATURES)) * 0.6 ** np.arange(FEATURES)
    features /= np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1) * (1 + 2**-40)
    chance = 1 / (1 + np.exp(-(features @ truth)))
    return Task(features, np.where(draw.random(rows) < chance, 1.0, -1.0))


def contraction(task: Task) -> Fraction:
    """A gradient step of length 1/smoothness brings any two models closer by this factor, at least."""
    return 1 - PENALTY / task.smoothness


def shifts(distance: Fraction, factor: Fraction, steps: int) -> list[float]:
    r"""Parts $a_0, …, a_{T-1}$ of the distance, one for each step to hide, in exact arithmetic.

    $d_0 = d$ and $d_{t+1} = c\,d_t - a_t$ must end at $d_T \le 0$. The sum of squares is least for $a_t$ in proportion
    to $c^{T-1-t}$: what is left to the end has shrunk most.
    """
    c = float(factor)
    first = float(distance) * c**steps / math.fsum(c ** (2 * s) for s in range(steps))
    parts, left = [], Fraction(distance)
    for t in range(steps):
        left *= factor
        wanted = first * c ** (steps - 1 - t)
        part = wanted if t < steps - 1 and wanted <= left else math.nextafter(float(left), math.inf)
        parts.append(max(part, 0.0))
        left -= Fraction(parts[-1])
    if left > 0:
        raise ArithmeticError("some distance is left")
    return parts


def forgetting(parts: list[float], noise_std: dpc.Real) -> dpc.Mechanism:
    """What the steps cost: one Gaussian mechanism for each, of the sensitivity that it must hide."""
    return dpc.Composition(tuple((dpc.Gaussian(noise_std=noise_std, sensitivity=a), 1) for a in parts if a > 0))


def calibrated(parts: list[float], epsilon: Fraction) -> dpc.Calibrated:
    """The least noise with which the steps forget to within (ε, δ), certified."""
    return dpc.calibrate(lambda s: forgetting(parts, s), epsilon=epsilon, delta=DELTA)


def walked(task: Task, start: np.ndarray, noise_std: float, steps: int, seed: int) -> np.ndarray:
    """Noisy gradient steps on the rows that remain."""
    draw, length = np.random.default_rng(seed), 1 / float(task.smoothness)
    theta = start
    for _ in range(steps):
        theta = theta - length * task.gradient(theta) + noise_std * draw.normal(size=len(theta))
    return theta


@dataclass(frozen=True)
class Outcome:
    """One way to forget: the noise it takes, what is certified, and how good the model is."""

    epsilon: Fraction
    steps: int
    noise_std: float
    certified: float
    by_renyi: float
    accuracy: float
    away: float
    """The mean distance from the model that is fitted again."""


def outcomes(before: Task, after: Task, tests: Task, runs: int = 20) -> list[Outcome]:
    """Every target and every number of steps; models are averages over a few runs."""
    start, again = before.fitted(), after.fitted()
    distance = Fraction(len(before.labels) - len(after.labels)) / PENALTY
    found = []
    for epsilon in EPSILONS:
        for steps in STEPS:
            parts = shifts(distance, contraction(after), steps)
            noise = calibrated(parts, epsilon)
            rows = {row.theorem: row.epsilon for row in dpc.compare(noise.mechanism, delta=DELTA).rows}
            models = [walked(after, start, float(noise), steps, seed) for seed in range(runs)]
            found.append(
                Outcome(
                    epsilon,
                    steps,
                    float(noise),
                    dpc.epsilon(noise.mechanism, DELTA).upper,
                    rows["RDP-CONV"] or math.inf,
                    float(np.mean([tests.accuracy(model) for model in models])),
                    float(np.mean([np.linalg.norm(model - again) for model in models])),
                )
            )
    return found


def from_nothing(after: Task, steps: int) -> float:
    """How far from the fit a model is that starts at 0 and takes as many steps, which need no noise."""
    zero = np.zeros(FEATURES)
    return float(np.linalg.norm(walked(after, zero, 0.0, steps, seed=0) - after.fitted()))


def draw(found: list[Outcome], scratch: list[float], curves: tuple[list[float], float], path: Path) -> Path:
    """Above, what each step adds to the divergence; below, how far from the model fitted again the result is."""
    parts, noise_std = curves
    figure = plots.figure()
    figure.set_size_inches(7.2, 7.6)
    with plots.styled():
        above, below = figure.subplots(2, 1, gridspec_kw={"hspace": 0.1})
        for order, colour in zip((2, 8, 32), COLOURS, strict=True):
            curve = np.cumsum([order * a**2 / (2 * noise_std**2) for a in parts])
            above.plot(np.arange(1, len(parts) + 1), curve, color=colour, label=f"order α = {order}")
        above.set(xlabel="steps taken", ylabel="Rényi divergence so far", yscale="log")
        above.set_title("What the steps add up to")
        above.legend(loc="lower right")
        for epsilon, colour in zip(EPSILONS, COLOURS, strict=True):
            rows = [o for o in found if o.epsilon == epsilon]
            away = [o.away for o in rows]
            below.plot([o.steps for o in rows], away, "o-", color=colour, label=f"ε = {float(epsilon):g}")
        below.plot(STEPS, scratch, color=BLACK, ls=DASHED, lw=1, label="from nothing, without noise")
        below.set(xlabel="number of steps T", ylabel="distance from the model fitted again", yscale="log")
        below.set_title("More steps come closer; a smaller ε keeps farther away (δ = 1e-5)")
        below.legend(loc="upper right")
    path.parent.mkdir(exist_ok=True)
    return plots.save(figure, path)


def main() -> None:
    """Fit, withdraw, forget, compare."""
    before, tests = made(ROWS, seed=1), made(TESTS, seed=2)
    after = Task(before.features[WITHDRAWN:], before.labels[WITHDRAWN:])
    start, again = before.fitted(), after.fitted()
    bound = float(Fraction(WITHDRAWN) / PENALTY)
    print(f"{ROWS} rows, {WITHDRAWN} withdrawn; each step brings models closer by {float(contraction(after)):.4f}")
    print(f"the two fits are {np.linalg.norm(start - again):.4f} apart, at most {bound:g} for any rows")
    print(f"accuracy before {tests.accuracy(start):.4f}, fitted again {tests.accuracy(again):.4f}\n")
    found, scratch = outcomes(before, after, tests), [from_nothing(after, steps) for steps in STEPS]
    print(f"{'ε':>4} {'T':>4} {'σ':>10} {'certified ε':>12} {'by RDP':>8} {'accuracy':>9} {'distance':>10}")
    for o in found:
        print(
            f"{float(o.epsilon):>4g} {o.steps:>4} {o.noise_std:>10.3g} {o.certified:>12.6f} {o.by_renyi:>8.4f} "
            f"{o.accuracy:>9.4f} {o.away:>10.2e}"
        )
    print("from nothing" + "".join(f"  T = {t}: {away:.2e}" for t, away in zip(STEPS, scratch, strict=True)))
    parts = shifts(Fraction(WITHDRAWN) / PENALTY, contraction(after), 50)
    path = draw(found, scratch, (parts, float(calibrated(parts, Fraction(1)))), Path("out/unlearning.png"))
    print(f"\nThe picture is in {path}.")


if __name__ == "__main__":
    main()

r"""δ of sampled Gaussians in plain NumPy, for many ε on one line: independent of the engine, honest, not certified.

The sum is $\frac{e^{K(t)-t\varepsilon}}W\sum_m\frac{\varphi(u_m)e^{iu_m(c-\varepsilon)}}{z_m(z_m+1)}$. A step's law is
a trapezoid sum on the real axis; what is folded is bounded by moments; what is left of $\varphi^k$ at the last
frequencies and a share for rounding make up the error bar.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_TERMS = 4e6


@dataclass(frozen=True)
class OtherLine:
    """`count` steps, a removed (1) or added (-1) record, on the line through `tilt`."""

    rate: float
    noise_std: float
    count: int
    side: int
    tilt: float

    @cached_property
    def law(self) -> tuple[Floats, Floats, float, float]:
        """One step, on nodes close enough for the frequency 0."""
        return self.nodes(min(self.noise_std / 6.0, self.noise_std**2 / 2.5, self.spacing(0.0)))

    def spacing(self, frequency: float) -> float:
        r"""So close that the trapezoid rule errs by about $e^{-40}$.

        The integrand is analytic for $|y|<\pi\sigma^2$, and at height $a$ larger by $e^{a^2/2\sigma^2+va/\sigma^2}$,
        and by $\cos(a/2\sigma^2)^{-t}$ for an added record.
        """
        sigma, best = self.noise_std, 0.0
        for share in np.geomspace(0.9, 0.01, 25):
            angle = share * math.pi
            grown = (angle * sigma) ** 2 / 2 + frequency * angle
            if self.side < 0:
                grown -= self.tilt * math.log(math.cos(angle / 2))
            best = max(best, 2.0 * math.pi * angle * sigma**2 / (40.0 + grown))
        return best

    def nodes(self, step: float) -> tuple[Floats, Floats, float, float]:
        r"""Losses, tilted masses and $\ln M$ of one step, and how far that may be off by rounding."""
        sigma, r = self.noise_std, 1.0 + self.tilt if self.side > 0 else -self.tilt
        reach = 10.0 * sigma
        x = np.arange(-reach + min(r, 0.0) * self.rate - step, reach + max(r, 0.0), step)
        a = (x - 0.5) / sigma**2
        loss = np.where(a > 500, a + math.log(self.rate), np.log1p(self.rate * np.expm1(np.minimum(a, 500))))
        n = np.exp(-0.5 * (x / sigma) ** 2) * step / (sigma * math.sqrt(2 * math.pi))
        rise = r * loss
        if np.max(rise) < 30.0:
            gain = float(n @ np.expm1(rise))
            p = n * np.exp(rise)
            return self.side * loss, p / np.sum(p), math.log1p(gain), 1e-14 * float(n @ np.abs(np.expm1(rise)))
        exponent = rise - 0.5 * (x / sigma) ** 2
        top = float(np.max(exponent))
        p = np.exp(exponent - top)
        total = float(np.sum(p))
        value = top + math.log(total * step / (sigma * math.sqrt(2 * math.pi)))
        return self.side * loss, p / total, value, 2e-14 * (5.0 + abs(top))

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation of the tilted total."""
        loss, p, _, _ = self.law
        mean = float(p @ loss)
        return self.count * mean, math.sqrt(self.count * float(p @ (loss - mean) ** 2))

    def read(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """δ at each ε and a relative error bar; an infinite bar where this line decides nothing."""
        mean, deviation = self.moments
        t, k = self.tilt, self.count
        width = max(60.0 / t, 24.0 * deviation, 2.0 * float(np.max(np.abs(mean - epsilons))))
        spacing = 2.0 * math.pi / width
        u = spacing * np.arange(1, math.ceil(9.0 / (deviation * spacing)) + 21)
        step = min(self.noise_std / 6.0, self.spacing(float(u[-1])))
        if len(u) * (20.0 * self.noise_std + t) / step > MOST_TERMS:
            return np.zeros(len(epsilons)), np.full(len(epsilons), math.inf)
        loss, p, value, off = self.nodes(step)
        angles = np.outer(u, loss - mean / k)
        # φ - 1, so that an error is a share of it and not of 1
        change = (-2.0 * np.sin(0.5 * angles) ** 2) @ p + 1j * (np.sin(angles) @ p)
        with np.errstate(divide="ignore", under="ignore"):
            power = np.exp(k * np.log1p(change))
        z = t + 1j * u
        terms = np.exp(1j * np.outer(mean - epsilons, u)) * (power / (z * (z + 1)))
        whole = 1.0 / (t * (t + 1)) + 2.0 * np.sum(terms.real, axis=1)
        size = 1.0 / (t * (t + 1)) + 2.0 * float(np.sum(np.abs(power / (z * (z + 1)))))
        left = float(np.max(np.abs(power[-max(len(u) // 10, 5) :]))) / (u[-1] * spacing)
        rounding = (3e-14 * math.sqrt(k) + 4e-16 * k + 1e-11) * size
        folded = self._folded(epsilons, width) * width
        log_height = k * value - t * epsilons
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            bar = (rounding + 10.0 * left) / whole + folded * np.exp(-log_height) / whole
            bar += k * off + 1e-15 * np.abs(k * value) + 1e-15 * np.abs(t * epsilons) + 1e-10
        bar = np.where((whole > 0) & np.isfinite(bar) & (bar < 1e-3), bar, math.inf)
        return np.exp(np.minimum(log_height, 700.0)) * whole / width, bar

    def _folded(self, epsilons: Floats, width: float) -> Floats:
        r"""$\sum_{n\ne0}e^{tnW}\delta(\varepsilon+nW)$, by moments at tilts on both sides and by δ ≤ 1."""
        deviation, t = self.moments[1], self.tilt
        down, up = math.exp(-t * width), np.full(len(epsilons), np.inf)
        for shift in (1.0, 2.0, 4.0, 8.0):
            tau = t + shift / deviation
            other = OtherLine(self.rate, self.noise_std, self.count, self.side, tau)
            bound = self.count * other.law[2] - tau * epsilons - (tau - t) * width
            up = np.minimum(up, np.exp(np.minimum(bound, 700.0)))
        return 1.1 * (down + up)

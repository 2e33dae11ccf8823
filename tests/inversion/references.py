"""Slow, independent references in high precision. Nothing here uses the engine.

`sampled_gaussian` integrates on its own line in balls: untrimmed law, own nodes, own period, own tilt, many
digits. Its errors
other than rounding are made negligible by generous margins rather than bounded.
"""

from __future__ import annotations

import math

import numpy as np
from flint import acb, arb, ctx
from mpmath import mp, mpf


def gaussian(mu_squared: float, epsilon: float) -> mpf:
    """The closed form Φ(μ/2-ε/μ) - e^ε Φ(-μ/2-ε/μ), 60 digits beyond cancellation."""
    with mp.workdps(60 + int(2 * abs(epsilon)) + 400):
        mu, e = mp.sqrt(mpf(mu_squared)), mpf(epsilon)
        return mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)


def sampled_gaussian_once(rate: float, noise: float, *, remove: bool, epsilon: float) -> mpf:
    """One step in closed form, for ε > 0."""
    with mp.workdps(120):
        q, s, e = mpf(rate), mpf(noise), mp.exp(mpf(epsilon))
        if remove:  # P = mixture; dP/dQ > e^ε beyond x
            x = s**2 * mp.log((e - 1 + q) / q) + mpf(1) / 2
            far, near = mp.ncdf(-x / s), mp.ncdf(-(x - 1) / s)
            return (1 - q) * far + q * near - e * far
        level = 1 / e - 1 + q  # P = N(0); dP/dQ > e^ε where X < e^-ε
        if level <= 0:
            return mpf(0)
        x = s**2 * mp.log(level / q) + mpf(1) / 2
        low, lower = mp.ncdf(x / s), mp.ncdf((x - 1) / s)
        return low - e * ((1 - q) * low + q * lower)


def sampled_gaussian_at(rate: float, noise: float, epsilon: mpf, *, remove: bool) -> mpf:
    """One step at any ε, also below 0."""
    if remove and mp.exp(epsilon) <= 1 - mpf(rate):
        return 1 - mp.exp(epsilon)
    return sampled_gaussian_once(rate, noise, remove=remove, epsilon=epsilon)


def sampled_gaussian_twice(rate: float, noise: float, epsilon: float, *, remove: bool) -> mpf:
    """Condition on the first step: its outcome is an integral, the second is closed."""
    q, s = mpf(rate), mpf(noise)

    def inner(x: mpf) -> mpf:
        ratio = 1 - q + q * mp.exp((x - mpf(1) / 2) / s**2)
        weight = mp.npdf(x, 0, s) * (ratio if remove else 1)
        loss = mp.log(ratio) if remove else -mp.log(ratio)
        return weight * sampled_gaussian_at(rate, noise, mpf(epsilon) - loss, remove=remove)

    with mp.workdps(22):
        places = [s * i for i in range(-10, 11)] + [1 + s * i for i in range(-10, 11)]
        end = mp.exp(mpf(epsilon)) / (1 - q) if remove else mp.exp(-mpf(epsilon)) / (1 - q)
        if end - 1 + q > 0:  # where the second step stops mattering
            places.append(s**2 * mp.log((end - 1 + q) / q) + mpf(1) / 2)
        return mp.quad(inner, sorted({mpf(x) for x in places}), maxdegree=4)


def sampled_gaussian(
    rate: float, noise: float, *, remove: bool, count: int, epsilon: float, digits: float = 16.0, reach: float = 0.0
) -> arb:
    """Many steps, as a ball around the trapezoid sum on a line of its own."""
    q, s = rate, noise
    step = 2 * math.pi * 2.6 * s * s / (2.3 * (digits + 14) + 4 * s * s + 2.6 * reach)
    step = min(step, s / 6)

    def grid(r: float) -> np.ndarray:
        reach = s * math.sqrt(2 * 2.3 * (digits + 20))
        left = -reach - (s * math.sqrt(2 * -r * -math.log1p(-q)) if r < 0 else 0.0)
        return np.arange(math.floor(left / step), math.ceil((max(r, 1.0) + reach) / step) + 1)

    def cumulant(t: float) -> float:
        r = 1 + t if remove else -t
        x = step * grid(r)
        a = (x - 0.5) / s**2
        ratio = np.where(a > 500, a + math.log(q), np.log1p(q * np.expm1(np.minimum(a, 500))))
        f = -0.5 * (x / s) ** 2 + r * ratio
        top = f.max()
        return count * (math.log(float(np.exp(f - top).sum()) * step / (s * math.sqrt(2 * math.pi))) + top)

    def prefactor(t: float) -> float:
        return cumulant(t) - t * epsilon - math.log(t * (1 + t))

    low, high = 1e-4, 2e4
    for _ in range(90):  # golden section in ln t
        a, b = low**0.618 * high**0.382, low**0.382 * high**0.618
        low, high = (low, b) if prefactor(a) < prefactor(b) else (a, high)
    t = 0.93 * math.sqrt(low * high)
    need = 2.3 * (digits + 10)
    # δ is unknown: count cancellation generously
    cancel = 30.0
    width = min(
        (cumulant(t2) - t2 * epsilon - (cumulant(t) - t * epsilon) + need + cancel) / (t2 - t)
        for t2 in t * (1 + np.geomspace(0.01, 3, 40))
    )
    width = 1.1 * max(
        width,
        (need + cancel + max(0.0, t * epsilon - cumulant(t))) / t if t < 0.5 else 0.0,
        min(
            (max(cumulant(t1) - t1 * epsilon - (cumulant(t) - t * epsilon) + need + cancel, 1.0)) / (t - t1)
            for t1 in t * (1 - np.geomspace(0.01, 0.97, 40))
        ),
    )
    before = ctx.prec
    ctx.prec = int(3.4 * digits + 1.5 * cancel + 60 + math.log2(count))
    try:
        r = 1 + t if remove else -t
        qq, ss = arb(q), arb(s)
        nodes = []
        for j in grid(r).tolist():
            x = arb(j) * arb(step)
            ratio = (1 - qq + qq * ((x - arb(0.5)) / (ss * ss)).exp()).log()
            weight = (-(x * x) / (2 * ss * ss)).exp() * arb(step) / (ss * (2 * arb.pi()).sqrt())
            nodes.append((ratio, weight * (arb(r) * ratio).exp()))
        moment = sum((w for _, w in nodes), arb(0))
        spacing = 2 * arb.pi() / arb(width)
        total = arb(1) / (arb(t) * (arb(t) + 1))
        small, sign = 0, 1 if remove else -1
        for m in range(1, 20000):
            u = m * spacing
            phi = sum((acb(w) * acb(0, sign * u * ratio).exp() for ratio, w in nodes), acb(0)) / moment
            z = acb(arb(t), u)
            term = phi**count * acb(0, -u * arb(epsilon)).exp() / (z * (z + 1))
            total += 2 * term.real
            small = small + 1 if float(abs(term).mid()) < 10.0 ** -(digits + 8) * abs(float(total.mid())) else 0
            if small > 8:
                break
        assert small > 8, "the reference did not converge"
        if float(u) > reach + 8:  # the oscillation was not foreseen: again, with finer nodes
            return sampled_gaussian(
                q, s, remove=remove, count=count, epsilon=epsilon, digits=digits, reach=1.1 * float(u)
            )
        return total * (moment.log() * count - arb(t) * arb(epsilon)).exp() / arb(width)
    finally:
        ctx.prec = before


def atoms(values: dict[mpf, mpf], epsilon: float) -> mpf:
    """The profile of a finite law {loss: probability}."""
    e = mpf(epsilon)
    return mp.fsum(p * (1 - mp.exp(e - s)) for s, p in values.items() if s > e)


def sums(*laws: dict[mpf, mpf]) -> dict[mpf, mpf]:
    """The law of a sum of independent finite losses, by brute force."""
    total = {mpf(0): mpf(1)}
    for law in laws:
        following: dict[mpf, mpf] = {}
        for s, p in total.items():
            for l, w in law.items():
                following[s + l] = following.get(s + l, mpf(0)) + p * w
        total = following
    return total


def two_point(size: float) -> dict[mpf, mpf]:
    """Randomized response."""
    e = mpf(size)
    return {e: mp.exp(e) / (1 + mp.exp(e)), -e: 1 / (1 + mp.exp(e))}


def two_point_power(size: float, count: int) -> dict[mpf, mpf]:
    """Many equal randomized responses: a binomial law."""
    e = mpf(size)
    p = mp.exp(e) / (1 + mp.exp(e))
    log_p, log_q = mp.log(p), mp.log(1 - p)
    return {
        (2 * j - count) * e: mp.exp(
            mp.loggamma(count + 1) - mp.loggamma(j + 1) - mp.loggamma(count - j + 1) + j * log_p + (count - j) * log_q
        )
        for j in range(count + 1)
    }


def laplace_twice(size: float, epsilon: float) -> mpf:
    """Two Laplace mechanisms: condition on the first, whose law is two atoms and a density."""
    a, e = mpf(size), mpf(epsilon)

    def once(x: mpf) -> mpf:  # δ of one mechanism at x
        if x >= a:
            return mpf(0)
        return 1 - mp.exp((x - a) / 2) if x >= -a else 1 - mp.exp(x)

    between = mp.quad(
        lambda l: mp.exp((l - a) / 2) / 4 * once(e - l), sorted({-a, max(-a, min(a, e - a)), max(-a, min(a, e + a)), a})
    )
    return once(e - a) / 2 + mp.exp(-a) / 2 * once(e + a) + between

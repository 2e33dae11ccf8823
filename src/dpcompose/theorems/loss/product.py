"""What is inside a wrapper, as one pair: the product of a few finite pairs, or a sum of promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law, LogFraction, Loss
from dpcompose.kernel import Parts, Side, composes
from dpcompose.mechanisms.long_pair import LongPairLaw
from dpcompose.notions import ApproxDP, FiniteLoss, Value
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Ball, Enclosure, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.sources import DR14, KOV15
from dpcompose.theorems.approx.steps import Steps, leak_of, sum_of
from dpcompose.theorems.loss.finite_laws import LeakyLaw

MOST_ATOMS = 1000
MOST_RUNS = 1000


@dataclass(frozen=True, slots=True)
class ProductLaw:
    """The sum of independent losses, equal sums merged exactly."""

    parts: tuple[tuple[Law, int], ...]

    def atoms(self) -> Sequence[tuple[Loss, Ball]]:
        """Each sum of finite losses with its probability."""
        return _convolved(self.parts, ctx.prec)

    def leak(self) -> Ball:
        """The chance that at least one part leaks."""
        leaks = [(law.leak(), n) for law, n in self.parts]
        if any(leak >= 1 for leak, _ in leaks):
            return Ball(1)
        return -sum((n * (-leak).log1p() for leak, n in leaks), Ball(0)).expm1()


@lru_cache(maxsize=64)
def _convolved(parts: tuple[tuple[Law, int], ...], precision: int) -> tuple[tuple[Loss, Ball], ...]:  # noqa: ARG001 - a key
    total: dict[Loss | None, Ball] = {None: Ball(1)}
    for law, count in parts:
        listed = law.atoms()
        for _ in range(count):
            after: dict[Loss | None, Ball] = {}
            effort.count(1500 * len(total) * len(listed))
            for loss, mass in total.items():
                for step, share in listed:
                    joined = _plus(loss, step)
                    after[joined] = after[joined] + mass * share if joined in after else mass * share
            total = after
            if len(total) > MOST_ATOMS:
                raise Declined(f"the product has more than {MOST_ATOMS} different losses")
    return tuple((loss if loss is not None else Fraction(0), mass) for loss, mass in total.items())


def _plus(loss: Loss | None, step: Loss) -> Loss:
    if loss is None:
        return step
    if isinstance(loss, LogFraction) and isinstance(step, LogFraction):
        return LogFraction(loss.ratio * step.ratio)
    if isinstance(loss, LogFraction) or isinstance(step, LogFraction):
        raise Declined("logarithms and fractions do not add up exactly")
    return loss + step


def product_of(parts: Sequence[tuple[FiniteLoss, int]]) -> FiniteLoss:
    """The product pair, in one order throughout."""
    kept = [(g, n) for g, n in parts if n]
    if any(isinstance(law, LongPairLaw) for g, _ in kept for law in (g.forward, g.backward)):
        raise Declined("too many outcomes to list")
    if sum(n for _, n in kept) > MOST_RUNS:
        raise Declined(f"more than {MOST_RUNS} runs are left to the profile")
    forward, backward = (ProductLaw(tuple((law, n) for law, n in order)) for order in _orders(kept))
    all_leaks = not (forward.atoms() or backward.atoms())
    is_one = all_leaks or _counted(forward) == _counted(backward)
    return FiniteLoss(forward, forward if is_one else backward)


def _counted(law: ProductLaw) -> Counter[Law]:
    total = Counter[Law]()
    for part, count in law.parts:
        total[part] += count
    return total


def _orders(parts: Sequence[tuple[FiniteLoss, int]]) -> tuple[list[tuple[Law, int]], list[tuple[Law, int]]]:
    return [(g.forward, n) for g, n in parts], [(g.backward, n) for g, n in parts]


@composes("X-PRODUCT", KOV15.at("Sec. 3"), side=Side.BOTH)
def product_pair(parts: Parts[FiniteLoss]) -> FiniteLoss:
    r"""A composition of finite pairs is a finite pair: $(P_1\times\dots\times P_k,\ Q_1\times\dots\times Q_k)$, whose
    losses are the sums of theirs. Where its parts may face either way, this is one of the ways, and a bound from below.
    """
    return product_of(parts.items)


@composes("X-PRODUCT", KOV15.at("Thm. 3.3"), side=Side.BOTH)
def product_of_boxes(parts: Parts[ApproxDP]) -> FiniteLoss:
    r"""A composition of $(\varepsilon_i,\delta_i)$-DP mechanisms is a post-processing of the product of leaky
    randomized responses, which is a finite pair.
    """
    if any(isinstance(g.delta, Enclosure) for g, _ in parts.items):
        raise Declined("needs an exact δ")
    laws = [(LeakyLaw(e, d), n) for e, d, n in Steps.of(parts).items if not isinstance(d, Enclosure)]
    return product_of([(FiniteLoss(law, law), n) for law, n in laws])


@composes("BASIC-SUM", DR14.at("Thm. 3.16"))
def sum_of_promises(parts: Parts[ApproxDP]) -> ApproxDP:
    r"""$(\varepsilon_i,\delta_i)$-DP mechanisms are together $(\sum\varepsilon_i,\ \sum\delta_i)$-DP, and also
    $(\sum\varepsilon_i,\ 1-\prod(1-\delta_i))$-DP.
    """
    steps = Steps.of(parts)
    return ApproxDP(steps.basic(), _total(steps))


def _total(steps: Steps) -> Value:
    """The sum where it is exact, else the chance that one of them strikes."""
    if all(not isinstance(d, Enclosure) for d, _ in steps.deltas):
        exact = sum((n * Fraction(d) for d, n in steps.deltas if not isinstance(d, Enclosure)), Fraction(0))
        return min(exact, Fraction(1))
    if any(isinstance(d, Enclosure) and d.upper >= 1 for d, _ in steps.deltas):
        return enclose(lambda: sum_of(steps.deltas)) & UNIT_INTERVAL
    return enclose(lambda: leak_of(steps.deltas)) & UNIT_INTERVAL


__all__ = ["ProductLaw", "product_of"]

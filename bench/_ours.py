"""Ours on one workload, in a process of its own: one line of JSON for each δ.

Everything goes through the public interface. The composition is built before the clock starts; the first call, which
also loads what is used, is told apart from the repeats.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from _workloads import EPSILONS, WORKS, Kind, Part, Question, Work, pair

import dpcompose as dpc


def mechanism(part: Part) -> dpc.Mechanism:
    """A step in our words."""
    numbers = part.numbers
    build: dict[Kind, Callable[[], dpc.Mechanism]] = {
        Kind.SAMPLED: lambda: dpc.Sampled(dpc.Gaussian(noise_std=numbers[1]), rate=numbers[0]),
        Kind.GAUSSIAN: lambda: dpc.Gaussian(noise_std=numbers[0]),
        Kind.LAPLACE: lambda: dpc.Laplace(scale=numbers[0]),
        Kind.RESPONSE: lambda: dpc.BlackBox(epsilon=numbers[0]),
        Kind.PAIR: lambda: _pair(*numbers),
    }
    return build[part.kind]()


def _pair(outcomes: float, spread: float) -> dpc.Mechanism:
    p, q = pair(int(outcomes), spread)
    return dpc.DiscretePair(p=p, q=q)


def question(work: Work, delta: float) -> Callable[[], tuple[float, float, float]]:
    """What is timed: the lower end, the upper end, and the gap between them."""
    if work.question is Question.RUNNING:
        steps = [mechanism(part) for part in work.parts]
        return lambda: _running(steps, delta, work.tolerance)
    plan = dpc.Composition(tuple((mechanism(part), part.count) for part in work.parts))
    if work.question is Question.CURVE:
        return lambda: _curve(plan, work.tolerance)
    return lambda: _ends(dpc.epsilon(plan, delta=delta, tolerance=work.tolerance))


def _ends(answer: dpc.Answer) -> tuple[float, float, float]:
    return answer.lower, answer.upper, answer.enclosure.gap


def _curve(plan: dpc.Composition, tolerance: float) -> tuple[float, float, float]:
    """The middle of the curve, and the widest gap where δ exceeds 1e-300."""
    found = dpc.delta(plan, EPSILONS, tolerance=tolerance)
    middle = found[len(found) // 2]
    return middle.lower, middle.upper, max(answer.enclosure.gap for answer in found if answer.upper > 1e-300)


def _running(steps: list[dpc.Mechanism], delta: float, tolerance: float) -> tuple[float, float, float]:
    """The last answer, and the widest gap of all."""
    total, widest = dpc.online(), 0.0
    answer = None
    for step in steps:
        answer = total.add(step).epsilon(delta, tolerance)
        widest = max(widest, answer.enclosure.gap)
    assert answer is not None  # noqa: S101 - there are steps
    return answer.lower, answer.upper, widest


def measured(call: Callable[[], Any], repeats: int) -> tuple[Any, list[float]]:
    """The result, and the milliseconds of the first call and of each repeat."""
    times = []
    result = None
    for _ in range(repeats + 1):
        start = time.process_time()
        result = call()
        times.append(1e3 * (time.process_time() - start))
    return result, times


def main() -> None:
    """Measure, δ by δ."""
    work, repeats = WORKS[sys.argv[1]], int(sys.argv[2])
    for delta in work.deltas:
        (lower, upper, gap), times = measured(question(work, delta), 0 if work.is_heavy else repeats)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        told = {"delta": delta, "lower": lower, "upper": upper, "gap": gap}
        print(json.dumps({**told, "first": times[0], "times": times[1:] or times, "peak": peak}), flush=True)


if __name__ == "__main__":
    main()

"""A peer's package, loaded once: asked for a workload, it answers with one line of JSON for each δ.

Every workload runs in a copy of the loaded process, so that nothing is remembered and memory is that of one work. A
peer gets settings that serve it well: the grid of equal ε-DP steps is their ε, so that nothing is rounded there, and
what a peer can tell of both sides it tells. What a peer does not offer is left out.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from threading import Thread
from typing import Any

from _workloads import EPSILONS, WORKS, Kind, Part, Question, Work, pair

Ends = tuple[float, float]
"""What the peer says: a lower end, if it has any, and an upper end."""
FINE, COARSE = 1e-4, 1e-2
WIDTH = 0.01
"""How far the ends may be apart for accountants that ask."""
MANY = 20
"""More kinds than this take too long where a few do already."""
ENOUGH = 0.5
"""Seconds after which a measurement is not repeated."""
TOO_LONG = 3
"""How a process ends that was stopped."""
FIRST = WORKS["q = 0.01, σ = 1, T = 10³: ε at δ"]
"""What loads all code of a peer, before anything is timed."""


class NotOffered(Exception):
    """The peer has no way to say this."""


# --------------------------------------------------------------- dp-accounting: loss distributions on a grid, by FFT


def pld_both(work: Work, delta: float) -> Ends:
    """A rounded-up and a rounded-down distribution on a fine grid; one will do where the grid rounds nothing."""
    if _is_exact(work):
        return -math.inf, _read(work, _pld(work, work.parts[0].numbers[0], "up"), delta)
    upper = _read(work, _pld(work, FINE, "up"), delta)
    return _read(work, _pld(work, FINE, "down"), delta), upper


def pld_coarse(work: Work, delta: float) -> Ends:
    """A rounded-up distribution on a coarse grid: fast, and loose."""
    if work.question is Question.RUNNING:
        return -math.inf, _pld_running(work, delta)
    if _is_exact(work):
        raise NotOffered("no grid is better than the one that rounds nothing")
    return -math.inf, _read(work, _pld(work, COARSE, "up"), delta)


def _is_exact(work: Work) -> bool:
    """Whether the losses lie on a grid of their own."""
    return len(work.parts) == 1 and work.parts[0].kind is Kind.RESPONSE


def _pld(work: Work, grid: float, towards: str) -> Any:
    if work.question is Question.RUNNING:
        raise NotOffered("one side is slow enough")
    composed = None
    for part in work.parts:
        steps = _pld_step(part, grid, towards).self_compose(part.count)
        composed = steps if composed is None else composed.compose(steps)
    return composed


def _pld_step(part: Part, grid: float, towards: str) -> Any:
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as module

    numbers, up = part.numbers, towards == "up"
    how = {"value_discretization_interval": grid, "pessimistic_estimate": up, "use_connect_dots": up}
    if part.kind is Kind.SAMPLED:
        return module.from_gaussian_mechanism(numbers[1], sampling_prob=numbers[0], **how)
    if part.kind is Kind.GAUSSIAN:
        return module.from_gaussian_mechanism(numbers[0], **how)
    if part.kind is Kind.LAPLACE:
        return module.from_laplace_mechanism(numbers[0], **how)
    if part.kind is Kind.RESPONSE:
        if up:  # says ε itself: from a probability it would come back rounded, and land one step of the grid too high
            steps = common.DifferentialPrivacyParameters(numbers[0], 0.0)
            return module.from_privacy_parameters(steps, value_discretization_interval=grid)
        how.pop("use_connect_dots")
        return module.from_randomized_response(2.0 / (1.0 + math.exp(numbers[0])), 2, **how)
    laws = [dict(enumerate(map(math.log, law.tolist()))) for law in pair(int(numbers[0]), numbers[1])]
    how.pop("use_connect_dots")
    return module.from_two_probability_mass_functions(*laws, symmetric=False, **how)


def _read(work: Work, composed: Any, delta: float) -> float:
    if work.question is Question.CURVE:
        return float(composed.get_delta_for_epsilon(EPSILONS.tolist())[len(EPSILONS) // 2])
    return float(composed.get_epsilon_for_delta(delta))


def _pld_running(work: Work, delta: float) -> float:
    """Each step is composed with all before, on the grid that is the accountant's own."""
    from dp_accounting.pld import PLDAccountant

    _few(work)
    return _events(PLDAccountant(), work, delta)


def _few(work: Work) -> None:
    if len(set(work.parts)) > MANY:
        raise NotOffered("too many kinds")


# ------------------------------------------------------------------------------------------------ Rényi accounting


def rdp(work: Work, delta: float) -> Ends:
    """Of dp-accounting, with its usual orders."""
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant()
    if work.question is Question.RUNNING:
        return -math.inf, _events(accountant, work, delta)
    for part in work.parts:
        accountant.compose(_event(part), part.count)
    if work.question is Question.CURVE:
        found = [accountant.get_delta(epsilon) for epsilon in EPSILONS.tolist()]
        return -math.inf, float(found[len(EPSILONS) // 2])
    return -math.inf, float(accountant.get_epsilon(delta))


def _event(part: Part) -> Any:
    import dp_accounting

    numbers = part.numbers
    if part.kind is Kind.SAMPLED:
        return dp_accounting.PoissonSampledDpEvent(numbers[0], dp_accounting.GaussianDpEvent(numbers[1]))
    if part.kind is Kind.GAUSSIAN:
        return dp_accounting.GaussianDpEvent(numbers[0])
    if part.kind is Kind.LAPLACE:
        return dp_accounting.LaplaceDpEvent(numbers[0])
    raise NotOffered(f"no Rényi curve of {part.kind}")


def _events(accountant: Any, work: Work, delta: float) -> float:
    value = math.nan
    for part in work.parts:
        accountant.compose(_event(part))
        value = float(accountant.get_epsilon(delta))
    return value


def opacus_rdp(work: Work, delta: float) -> Ends:
    """Of Opacus, with its usual orders."""
    from opacus.accountants import RDPAccountant

    return _opacus(RDPAccountant(), work, delta)


# ---------------------------------------------------------------- privacy random variables: truncated grids, by FFT


def opacus_prv(work: Work, delta: float) -> Ends:
    """Of Opacus, with its usual errors."""
    from opacus.accountants import PRVAccountant

    if work.question is Question.RUNNING:
        raise NotOffered("a second is too long for every step")
    return _opacus(PRVAccountant(), work, delta)


def _opacus(accountant: Any, work: Work, delta: float) -> Ends:
    if work.question is Question.CURVE or any(part.kind is not Kind.SAMPLED for part in work.parts):
        raise NotOffered("sampled Gaussians alone, and ε alone")
    if work.question is Question.RUNNING:
        _few(work)
        value = math.nan
        for part in work.parts:
            accountant.step(noise_multiplier=part.numbers[1], sample_rate=part.numbers[0])
            value = float(accountant.get_epsilon(delta=delta))
        return -math.inf, value
    accountant.history = [(part.numbers[1], part.numbers[0], part.count) for part in work.parts]
    return -math.inf, float(accountant.get_epsilon(delta=delta))


def prv(work: Work, delta: float) -> Ends:
    """Of prv-accountant, which says how far it may be off on either side."""
    import prv_accountant as module

    if work.question is not Question.EPSILON or len(work.parts) > MANY or _is_exact(work):
        raise NotOffered("a few kinds, and ε; and a grid of its own is better")
    build: dict[Kind, Callable[..., Any]] = {
        Kind.SAMPLED: lambda rate, noise: module.PoissonSubsampledGaussianMechanism(
            sampling_probability=rate, noise_multiplier=noise
        ),
        Kind.GAUSSIAN: lambda noise: module.GaussianMechanism(noise_multiplier=noise),
        Kind.LAPLACE: lambda scale: module.LaplaceMechanism(mu=1.0 / scale),
        Kind.RESPONSE: lambda epsilon: module.PureDPMechanism(epsilon),
    }
    if any(part.kind not in build for part in work.parts):
        raise NotOffered("no such steps")
    counts = [part.count for part in work.parts]
    steps = [build[part.kind](*part.numbers) for part in work.parts]
    accountant = module.PRVAccountant(
        prvs=steps, max_self_compositions=counts, eps_error=WIDTH, delta_error=delta / 1000
    )
    lower, _, upper = accountant.compute_epsilon(delta=delta, num_self_compositions=counts)
    return float(lower), float(upper)


PEERS: dict[str, Callable[[Work, float], Ends]] = {
    "dp-accounting PLD, both sides, grid 1e-4": pld_both,
    "dp-accounting PLD, grid 1e-2": pld_coarse,
    "dp-accounting RDP": rdp,
    "prv-accountant": prv,
    "Opacus PRV": opacus_prv,
    "Opacus RDP": opacus_rdp,
}
HOMES = {"dp-accounting": "dp_accounting", "prv-accountant": "prv_accountant", "Opacus": "opacus"}
"""The packages, by how the names of their peers begin."""


def measured(call: Callable[[], Ends], repeats: int) -> tuple[Ends, list[float]]:
    """The result, and the milliseconds of each repeat; the first call stands where it was long enough to tell."""
    ends, times, spent = (math.nan, math.nan), [], 0.0
    while len(times) <= repeats and spent < ENOUGH:
        start = time.process_time()
        ends = call()
        times.append(1e3 * (time.process_time() - start))
        spent += times[-1] / 1e3
    return ends, times[1:] or times


def told(peer: str, work: Work, delta: float, repeats: int) -> dict[str, Any]:
    """The ends and times, or why there are none."""
    try:
        (lower, upper), times = measured(lambda: PEERS[peer](work, delta), repeats)
    except NotOffered:
        return {"left out": True}
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
        return {"failed": (f"{type(error).__name__}: {error}".splitlines() or ["no answer"])[0]}
    if math.isnan(upper):
        return {"failed": "not a number"}
    return {"lower": lower, "upper": upper, "times": times}


def answered(peer: str, work: Work, repeats: int, limit: float) -> None:
    """Measure δ by δ; where one was too small, so is the next. What takes too much processor time ends the process."""
    found: dict[str, Any] = {}
    until = [math.inf]

    def watch() -> None:  # a timer of the system would make its clock go by ticks
        while time.process_time() < until[0]:
            time.sleep(0.05)
        os._exit(TOO_LONG)

    Thread(target=watch, daemon=True).start()
    for delta in work.deltas:
        until[0] = time.process_time() + limit
        if "failed" not in found:
            found = told(peer, work, delta, repeats)
        found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(found), flush=True)


def main() -> None:
    """Load the package and try it, then answer question after question, each in a copy of this process."""
    warnings.simplefilter("ignore")
    for peer, ask in PEERS.items():
        if peer.startswith(sys.argv[1]):
            ask(FIRST, FIRST.deltas[0])
    for line in sys.stdin:
        peer, key, repeats, limit = json.loads(line)
        copy = os.fork()
        if not copy:
            answered(peer, WORKS[key], repeats, limit)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == TOO_LONG:
            print(json.dumps({"failed": f"more than {limit:.0f} s"}), flush=True)
        print("done", flush=True)


if __name__ == "__main__":
    main()

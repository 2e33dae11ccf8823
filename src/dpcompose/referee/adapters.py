"""Adapters for the known accountants, each with the settings that its documentation recommends; loaded when asked."""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module
from typing import Any

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import DPError, InvalidParameter
from dpcompose.interop import histories, writing
from dpcompose.interop.events import to_object
from dpcompose.mechanisms import BlackBox, DiscretePair, Gaussian, Geometric, Laplace, Sampled
from dpcompose.prove.answer import epsilon as certified
from dpcompose.referee.adapter import Adapter, NotOffered, leaves

MOST_SPENT = 10**6
"""An accountant that keeps every step in a list is asked for no more steps than this."""
RELATIONS = {
    Adjacency.ADD_REMOVE: "ADD_OR_REMOVE_ONE",
    Adjacency.REPLACE_ONE: "REPLACE_ONE",
    Adjacency.ZERO_OUT: "REPLACE_SPECIAL",
}


class Dpcompose(Adapter):
    """This library, measured like any other."""

    name, package = "dpcompose", "dpcompose"

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """The upper end of our answer."""
        return certified(mechanism, delta).upper


class DpAccounting(Adapter):
    """An accountant of dp_accounting, given the work as its event."""

    package = "dp-accounting"
    accountant: str

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """With the accountant's usual grid or orders."""
        peer = import_module("dp_accounting")
        module, _, name = self.accountant.rpartition(".")
        relation = peer.NeighboringRelation[RELATIONS[mechanism.adjacency or Adjacency.ADD_REMOVE]]
        try:
            said = writing.event_of(mechanism)
        except DPError:
            raise NotOffered from None
        classes = {name: getattr(peer.dp_event, name) for name in dir(peer.dp_event) if name.endswith("DpEvent")}
        accountant = getattr(import_module(module), name)(neighboring_relation=relation)
        event = to_object(said, classes)
        if not accountant.supports(event):
            raise NotOffered
        return float(accountant.compose(event).get_epsilon(delta))


class DpAccountingPld(DpAccounting):
    """Loss distributions on a grid of 1e-4."""

    name, accountant = "dp_accounting PLD", "dp_accounting.pld.PLDAccountant"


class DpAccountingRdp(DpAccounting):
    """Rényi curves at its usual orders."""

    name, accountant = "dp_accounting RDP", "dp_accounting.rdp.RdpAccountant"


class Opacus(Adapter):
    """An accountant of Opacus, given the work as its history."""

    package = "opacus"
    accountant: str

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """With the accountant's usual grid or orders."""
        try:
            history = histories.history_of(mechanism)
        except DPError:
            raise NotOffered from None
        accountant = import_module("opacus.accountants").create_accountant(self.accountant)
        accountant.history = history
        return float(accountant.get_epsilon(delta=delta))


class OpacusPrv(Opacus):
    """Privacy random variables on a grid."""

    name, accountant = "Opacus PRV", "prv"


class OpacusRdp(Opacus):
    """Rényi curves at its usual orders."""

    name, accountant = "Opacus RDP", "rdp"


class OpacusGdp(Opacus):
    """Opacus by the central limit theorem, which its documentation says may be too low."""

    name, accountant, estimate = "Opacus GDP", "gdp", True

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """The answer for a single stretch of equal steps; no other work can be expressed."""
        if len(leaves(mechanism)) != 1:
            raise NotOffered
        return super().epsilon(mechanism, delta)


class Prv(Adapter):
    """prv-accountant, which states how far it may be off on either side."""

    name, package = "prv-accountant", "prv-accountant"

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """The upper end, with an error of 0.01 in ε and of a thousandth of δ."""
        peer = import_module("prv_accountant")
        parts = leaves(mechanism)
        if not parts or not 0 < delta < 1 or mechanism.adjacency is Adjacency.REPLACE_ONE:
            raise NotOffered
        accountant = peer.PRVAccountant(
            prvs=[self._step(peer, leaf) for leaf, _ in parts],
            max_self_compositions=[count for _, count in parts],
            eps_error=0.01,
            delta_error=delta / 1000,
        )
        return float(accountant.compute_epsilon(delta=delta, num_self_compositions=[count for _, count in parts])[2])

    @staticmethod
    def _step(peer: Any, leaf: Mechanism) -> Any:
        if isinstance(leaf, Sampled) and isinstance(leaf.mechanism, Gaussian):
            noise = float(leaf.mechanism.noise_std) / float(leaf.mechanism.sensitivity)
            return peer.PoissonSubsampledGaussianMechanism(
                sampling_probability=float(leaf.rate), noise_multiplier=noise
            )
        if isinstance(leaf, Gaussian) and leaf.noise_std:
            return peer.GaussianMechanism(noise_multiplier=float(leaf.noise_std) / float(leaf.sensitivity))
        if isinstance(leaf, Laplace) and leaf.scale:
            return peer.LaplaceMechanism(mu=float(leaf.sensitivity) / float(leaf.scale))
        if isinstance(leaf, BlackBox) and leaf.epsilon is not None and not leaf.delta:
            return peer.PureDPMechanism(float(leaf.epsilon))
        raise NotOffered


class OpenDP(Adapter):
    """The maps of OpenDP: sums of ε for Laplace noise, of ρ for Gaussian noise."""

    name, package = "OpenDP", "opendp"

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """By OpenDP's own composition, and its conversion to (ε, δ)."""
        dp = import_module("opendp.prelude")
        dp.enable_features("contrib", "honest-but-curious")
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        parts = leaves(mechanism)
        laplace = [(leaf.scale, leaf, n) for leaf, n in parts if isinstance(leaf, Laplace)]
        gaussian = [(leaf.noise_std, leaf, n) for leaf, n in parts if isinstance(leaf, Gaussian)]
        if parts and len(laplace) == len(parts):
            return self._sum(space, laplace, dp.m.make_laplace)
        if parts and len(gaussian) == len(parts) and delta > 0:
            rho = self._sum(space, gaussian, dp.m.make_gaussian)
            scale = math.sqrt(1 / (2 * rho)) if math.isfinite(rho) and rho > 0 else 0.0
            return float(dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale)).map(1.0).epsilon(delta))
        raise NotOffered

    @staticmethod
    def _sum(space: Any, parts: list[tuple[Any, Any, int]], make: Any) -> float:
        return float(sum(n * make(*space, scale=float(noise)).map(float(leaf.sensitivity)) for noise, leaf, n in parts))


class Diffprivlib(Adapter):
    """The budget accountant of diffprivlib: every step an ε and a δ, composed by closed forms."""

    name, package = "diffprivlib", "diffprivlib"

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """With all of δ that the steps leave over as the accountant's slack."""
        spent = [pair for leaf, n in leaves(mechanism) for pair in [self._step(leaf)] * n]
        slack = delta - math.fsum(d for _, d in spent)
        if not spent or len(spent) > MOST_SPENT or slack < 0:
            raise NotOffered
        accountant = import_module("diffprivlib.accountant").BudgetAccountant(spent_budget=spent, slack=slack)
        return float(accountant.total()[0])

    @staticmethod
    def _step(leaf: Mechanism) -> tuple[float, float]:
        if isinstance(leaf, BlackBox) and leaf.epsilon is not None:
            return writing.above(leaf.epsilon), writing.above(leaf.delta or 0)
        if isinstance(leaf, Laplace | Geometric) and leaf.scale:
            return writing.above(Fraction(leaf.sensitivity) / Fraction(leaf.scale)), 0.0
        raise NotOffered


class Autodp(Adapter):
    """autodp: Rényi curves at every order, and Gaussians by their closed form."""

    name, package = "autodp", "autodp"

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """The lesser of its pure and its approximate ε."""
        zoo, transforms = import_module("autodp.mechanism_zoo"), import_module("autodp.transformer_zoo")
        parts = leaves(mechanism)
        if not parts:
            raise NotOffered
        steps, counts = [self._step(zoo, transforms, leaf) for leaf, _ in parts], [count for _, count in parts]
        gaussian = all(isinstance(leaf, Gaussian) for leaf, _ in parts)
        compose = transforms.ComposeGaussian() if gaussian else transforms.Composition()
        return float(compose(steps, counts).get_eps(delta))

    def _step(self, zoo: Any, transforms: Any, leaf: Mechanism) -> Any:
        if isinstance(leaf, Sampled) and isinstance(leaf.mechanism, Gaussian | Laplace):
            tight = isinstance(leaf.mechanism, Gaussian)
            sample = transforms.AmplificationBySampling(PoissonSampling=True)
            inner = self._step(zoo, transforms, leaf.mechanism)
            return sample(inner, float(leaf.rate), improved_bound_flag=tight)
        if isinstance(leaf, Gaussian) and leaf.noise_std:
            return zoo.ExactGaussianMechanism(sigma=float(leaf.noise_std) / float(leaf.sensitivity))
        if isinstance(leaf, Laplace) and leaf.scale:
            return zoo.LaplaceMechanism(b=float(leaf.scale) / float(leaf.sensitivity))
        if isinstance(leaf, BlackBox) and leaf.epsilon is not None and not leaf.delta:
            return zoo.PureDP_Mechanism(eps=float(leaf.epsilon))
        if isinstance(leaf, DiscretePair) and len(leaf.p) == 2 and leaf.p[0] == leaf.q[1]:
            return zoo.RandresponseMechanism(p=float(leaf.p[0]))
        raise NotOffered


class Riskcal(Adapter):
    """The accountant of riskcal, given the same history as Opacus."""

    name, package = "riskcal", "riskcal"

    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """With the accountant's usual grid."""
        try:
            history = histories.history_of(mechanism)
        except DPError:
            raise NotOffered from None
        accountant = import_module("riskcal.accountants").CTDAccountant()
        accountant.history = history
        return float(accountant.get_epsilon(delta=delta))


ADAPTERS: tuple[type[Adapter], ...] = (
    Dpcompose,
    DpAccountingPld,
    DpAccountingRdp,
    OpacusPrv,
    OpacusRdp,
    OpacusGdp,
    Prv,
    OpenDP,
    Diffprivlib,
    Autodp,
    Riskcal,
)


def named(name: str) -> Adapter:
    """The adapter of an accountant, by name."""
    for adapter in ADAPTERS:
        if adapter.name == name:
            return adapter()
    raise InvalidParameter("accountant", name, " or ".join(adapter.name for adapter in ADAPTERS))


__all__ = ["ADAPTERS", "named"]

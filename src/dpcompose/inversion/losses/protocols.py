r"""What the engine asks of a privacy loss: one step, one order of the neighbouring pair.

For the pair $(P, Q)$ the loss is $L = \ln(dP/dQ)$ under $P$. It is $+\infty$ with probability `leak`; the rest is a
law of mass $1 - \text{leak}$ with moment function $M(z) = \mathbb E[e^{zL};\,L<\infty]$ and $K = \ln M$. Losses are
descriptions (frozen, hashable); `gather` turns many of them into the few sums the engine works with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from dpcompose.inversion.losses.decay import Layers
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import Complexes, Floats, Integers


class Lattice(NamedTuple):
    r"""The set $a + b\mathbb Z$; both numbers may be off by `error`, relatively."""

    offset: float
    span: float
    error: float


class Logarithm(NamedTuple):
    r"""A product of characteristic functions: $\varphi = e^{\text{modulus} + i\,\text{phase}}(1+\eta)$, $\ln(1+|\eta|)
    \le$ `error`.
    """

    modulus: Floats
    phase: Floats
    error: Floats


class TiltedLaw(Protocol):
    r"""A loss under the law tilted by $e^{tL}$, with certified errors."""

    @property
    def log_moment(self) -> float:
        r"""$K(t) = \ln M(t)$, off by at most `log_moment_error`."""

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""

    @property
    def centre(self) -> float:
        """Where the characteristic function is centred: a float near the tilted mean."""


class TiltedSum(TiltedLaw, Protocol):
    """A sum of independent losses under its tilted law."""

    @property
    def centre_error(self) -> float:
        """An upper bound on the absolute error of `centre`."""

    def logarithm(self, spacing: float, indices: Integers) -> Logarithm:
        r"""$\ln\varphi$ at the frequencies $m\Delta$, centred at `centre`."""

    def log_decay(self, frequencies: Floats) -> Floats:
        r"""An upper bound on $\ln\sup_{|v|\ge U}|\varphi(v)|$ for each $U$, non-increasing."""

    def log_bound(self, spacing: float, indices: Integers) -> Floats:
        r"""A cheap upper bound on $\ln|\varphi(m\Delta)|$, frequency by frequency."""

    def beside(self, tilt: float) -> TiltedSum | None:
        """The same law at another tilt, its quadrature laid before; None where there is none."""

    def reaching(self, reach: float, error: float) -> TiltedSum:
        """The same law, for frequencies up to another reach, with quadrature error about `error`."""


class LossLaw(Protocol):
    """The law of a loss, of one step or of many."""

    @property
    def leak(self) -> Enclosure:
        """The probability of an infinite loss."""

    @property
    def supremum(self) -> float:
        """An upper bound on every finite value."""

    @property
    def is_unbounded(self) -> bool:
        """Whether some finite loss exceeds every number, for certain; that no bound is known says nothing."""

    @property
    def total_variation(self) -> float:
        """An upper bound on the total variation distance of the pair, infinite losses aside."""

    @property
    def trim_lost(self) -> float:
        """An upper bound on the probability removed by trimming."""

    @property
    def lattice(self) -> Lattice | None:
        """The lattice on which the finite values live, if they do."""

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""


class LossSum(LossLaw, Protocol):
    """A sum of independent losses of one kind."""

    @property
    def steps(self) -> int:
        """How many steps there are."""

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedSum:
        """The certified law at this tilt, for frequencies up to `reach`, with quadrature error about `error`."""

    def trimmed(self, log_mass: float, sharpness: int) -> LossSum:
        """The same sum with about `exp(log_mass)` of its probability taken from the far upper tail, or itself."""

    def jumps(self, log_mass: float) -> tuple[Sequence[Loss], float]:
        """What trimming hides of one step, as separate laws, and a bound on the probability (over all steps) still
        hidden then.
        """

    def fewer(self, count: int) -> LossSum:
        """This sum without `count` of its steps."""

    def dominating(self) -> Sequence[LossSum]:
        """Something simpler whose profile lies above this one's, for when all else fails; or itself."""


class Loss(Protocol):
    """What one step loses, in one order of the neighbours."""

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """The sum of `count` copies of each loss of this kind, in as few summands as possible."""


class TiltedStep(TiltedLaw, Protocol):
    """One step under its tilted law."""

    @property
    def tilt(self) -> float:
        """The tilt."""

    @property
    def is_exact(self) -> bool:
        """Whether it holds at all frequencies alike, without quadrature."""

    def beside(self, tilt: float) -> TiltedStep | None:
        """The same step at another tilt, by the same nodes; None where there are none for it."""

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$\varphi - 1$, centred, at the frequencies $m\Delta$, and an upper bound on its error."""

    def log_modulus(self, spacing: float, indices: Integers) -> Floats:
        r"""A cheap upper bound on $\ln|\varphi|$ at the frequencies $m\Delta$."""


class RepeatableLoss(Loss, LossLaw, Protocol):
    """A kind of step of which equal copies are gathered: see `repeated`."""

    def step(self, tilt: float, reach: float, error: float) -> TiltedStep:
        """The certified law of one step at this tilt."""

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:
        """Uniform pieces under the density, for its decay."""

    def trimmed(self, log_mass: float, sharpness: int) -> RepeatableLoss:
        """The step with about `exp(log_mass)` of its probability taken from the far upper tail, or itself."""

    def bands(self, log_mass: float) -> tuple[Sequence[RepeatableLoss], float]:
        """What trimming hides, as steps with one band of losses each, and an upper bound on what is still hidden."""

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Steps of a simpler kind that together cost at least as much."""


class Cumulants(NamedTuple):
    """$K, K', K''$ at one tilt. Quick values: they choose, they never certify."""

    value: float
    slope: float
    curvature: float

    @classmethod
    def total(cls, parts: Iterable[Cumulants]) -> Cumulants:
        """Independent losses add, and so do their cumulants."""
        return cls(*(sum(column) for column in zip((0.0, 0.0, 0.0), *parts, strict=True)))


class Direction(Enum):
    """P is the dataset with the record (it is removed), or the one without (it is added)."""

    REMOVE = "remove"
    ADD = "add"

    @property
    def sign(self) -> float:
        r"""The sign of the loss against $\ln X$, $X$ being the likelihood ratio of the law with the record."""
        return 1.0 if self is Direction.REMOVE else -1.0

    def exponent(self, tilt: float) -> float:
        r"""The exponent of $X$ under $e^{tL}dP$, against the law without the record: $1+t$ or $-t$."""
        return 1.0 + tilt if self is Direction.REMOVE else -tilt

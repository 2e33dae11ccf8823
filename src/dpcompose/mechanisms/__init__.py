"""What was run: one file a mechanism, its description first and then what is known of it.

Read `gaussian` first, the shortest: parameters, then theorems. Then the noises (`laplace`, `geometric`,
`staircase`, `discrete_gaussian`, `randomized_response`, `exponential`), what is known only in part (`black_box`,
`discrete_pair`), and the wrappers (`sampled`, `without_replacement`, `group`).
"""

from dpcompose.mechanisms.batches.repeated import RepeatAndSelect as RepeatAndSelect
from dpcompose.mechanisms.batches.sampled_sum import SampledSum as SampledSum
from dpcompose.mechanisms.batches.shuffled import Shuffled as Shuffled
from dpcompose.mechanisms.batches.shuffled import ShuffledBatches as ShuffledBatches
from dpcompose.mechanisms.batches.truncated import TruncatedSample as TruncatedSample
from dpcompose.mechanisms.batches.with_replacement import SampledWithReplacement as SampledWithReplacement
from dpcompose.mechanisms.black_box import BlackBox as BlackBox
from dpcompose.mechanisms.correlated import BandedMatrix as BandedMatrix
from dpcompose.mechanisms.correlated import TreeAggregation as TreeAggregation
from dpcompose.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
from dpcompose.mechanisms.discrete_pair import DiscretePair as DiscretePair
from dpcompose.mechanisms.exponential import Exponential as Exponential
from dpcompose.mechanisms.gaussian import Gaussian as Gaussian
from dpcompose.mechanisms.geometric import Geometric as Geometric
from dpcompose.mechanisms.group import Group as Group
from dpcompose.mechanisms.laplace import Laplace as Laplace
from dpcompose.mechanisms.mixture_of_gaussians import MixtureOfGaussians as MixtureOfGaussians
from dpcompose.mechanisms.name_and_shame import NameAndShame as NameAndShame
from dpcompose.mechanisms.noisy_selection import AboveThreshold as AboveThreshold
from dpcompose.mechanisms.noisy_selection import PermuteAndFlip as PermuteAndFlip
from dpcompose.mechanisms.noisy_selection import ReportNoisyMax as ReportNoisyMax
from dpcompose.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
from dpcompose.mechanisms.sampled import Sampled as Sampled
from dpcompose.mechanisms.staircase import Staircase as Staircase
from dpcompose.mechanisms.without_replacement import SampledWithoutReplacement as SampledWithoutReplacement

"""Regions of error rates: what no attacker escapes, the events that refute a claim, and how to imitate a mechanism.

Read `tradeoff` (one ordered pair) and `orders` (which pairs a mechanism has) first; `corners`, `closed` and `envelope`
(over `levels`, `chain`) are its three kinds. Then `region`, `readings` (rates, odds, accuracy) and `witness`; last
`single`, `blackwell`, `simulation` (over `simulation_lemma`) and `transcript`.
"""

from dpcompose.regions.blackwell import Garbling as Garbling
from dpcompose.regions.blackwell import Refutation as Refutation
from dpcompose.regions.blackwell import garble as garble
from dpcompose.regions.readings import accuracy as accuracy
from dpcompose.regions.readings import advantage as advantage
from dpcompose.regions.readings import alpha as alpha
from dpcompose.regions.readings import bayes_error as bayes_error
from dpcompose.regions.readings import beta as beta
from dpcompose.regions.readings import posterior as posterior
from dpcompose.regions.readings import posterior_odds as posterior_odds
from dpcompose.regions.readings import tpr as tpr
from dpcompose.regions.region import Region as Region
from dpcompose.regions.region import region as region
from dpcompose.regions.simulation import Distinguishable as Distinguishable
from dpcompose.regions.simulation import LeakyResponse as LeakyResponse
from dpcompose.regions.simulation import SimulationMap as SimulationMap
from dpcompose.regions.simulation import simulate as simulate
from dpcompose.regions.single import is_private as is_private
from dpcompose.regions.single import laplace_pair as laplace_pair
from dpcompose.regions.single import single_region as single_region
from dpcompose.regions.single import within as within
from dpcompose.regions.tradeoff import Order as Order
from dpcompose.regions.transcript import Interaction as Interaction
from dpcompose.regions.transcript import simulate_transcript as simulate_transcript
from dpcompose.regions.witness import Judgement as Judgement
from dpcompose.regions.witness import Witness as Witness
from dpcompose.regions.witness import judge as judge
from dpcompose.regions.witness import witness as witness

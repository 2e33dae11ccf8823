"""The law of the privacy loss itself.

Read `exact_sums` (formulas and finite sums) first, `finite_laws` and `greatest_losses` for long lists, `product` for
what is inside a wrapper, `gaussian_mixtures` and `one_mixture`; then `transform` and `discrete_noise` (which losses the
engine knows) and `inverted` (questions put to the engine). Under replace one runs face either way: `facings` tries some
from below, `either_way` holds them all from above, by a pair through `dots`.
"""

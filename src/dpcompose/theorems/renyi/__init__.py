"""Rényi divergences.

Read `conversions` (how they add up and what they imply) first, then `best_order` and `below_one`. A pair is read in
four ways (`readings`); the exact curves of the mechanisms are in `finite_curves`, `discrete_gaussian_curve`,
`sampled_curves` and `sampled_normal_curve`, which share `powers`.
"""

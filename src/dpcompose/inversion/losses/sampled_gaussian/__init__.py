"""The Gaussian on a Poisson sample: no formula for its transform, so quadrature with a proven error.

Read `density` (the mixture itself), `strip` (how large the integrand gets off the axis), `quadrature` (how many nodes
that takes), `decay` (how fast the transform falls), then `loss`, which puts them together, and `rows`: the same
for many different ones at once.
"""

"""What one step loses, one kind a file: its transform, its cumulants, its tails, each with its error.

Read `protocols` first (what the engine asks of a loss), then `gaussian`, where all of it is a formula, and
`randomized_response`; `repeated` makes any loss a sum of equal ones. `nodes` and `decay` serve the kinds that need
quadrature: `laplace`, `finite`, `integer_noise`, `discrete_gaussian`, and the sampled ones, which share
`poisson_ratio`: ln(1 − q + qeᵃ), in one place with its error. `stacked`, over `rows`, follows many different steps at
once.
"""

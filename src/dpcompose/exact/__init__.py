"""Profiles that have a formula or a finite sum: δ at ε and ε at δ, enclosed without an inversion.

Read `normal`, `laplace` and `binomial` (one kind of step each) first, then `finite`: any law on finitely many
losses, repeated and mixed. It lists `atoms`, keeps sums in `states`, makes them `coarse` where there are too many,
and where even that is too much it bounds them by `tilted`, `chernoff` and `berry_esseen`. `chisquare` serves the
sketches, `bounded_range` the exponential mechanism.
"""

"""Batches and repeated runs.

Read `alone` first: the greatest cost of one run, and a finite pair that dominates it in a composition. Then `blends`
(draws with replacement, truncated samples), `sums` (samples in which a record is replaced, and shuffled batches),
`clones` (shuffled reports) and `selection` (the best of several runs).
"""

"""Batches that are neither Poisson samples of any size nor sets of fixed size, and runs of which the best is kept.

Read `with_replacement` first; then `truncated`, `sampled_sum` (a record is replaced), `shuffled` (batches of an epoch,
and reports of people), and `repeated`.
"""

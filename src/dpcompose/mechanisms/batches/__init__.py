"""Batches that are neither Poisson samples of any size nor sets of fixed size, and runs of which the best is kept."""

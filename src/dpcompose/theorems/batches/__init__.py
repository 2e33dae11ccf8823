"""Batches and repeated runs. `alone` first: what one run costs at most, and a finite pair that stands for it among
others. Then `blends` (draws with replacement, truncated samples), `sums` (samples of which a record is replaced, and
what is seen of shuffled batches), `clones` (shuffled reports) and `selection` (the best of several runs).
"""

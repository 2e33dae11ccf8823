"""What a random sample adds. `sampled_once` (a rate bends a profile) first, then `poisson_once` and `discrete_gaussian`
on Poisson samples, `any_profile` for whatever is inside; then samples of a fixed size: `fixed_size`, `mirrored` (both
orders at once), `members` (where the sample itself is kept secret) and `fixed_size_curve`.
"""

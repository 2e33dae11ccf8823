"""What a random sample adds to privacy.

Read `sampled_once` (how a rate changes a profile) first, then `poisson_once` and `discrete_gaussian` on Poisson samples
(its Rényi orders in `discrete_gaussian_orders`), `any_profile` for any mechanism inside; then samples of a fixed size:
`fixed_size`, `mirrored` (both orders at once), `members` (where the sample itself is kept secret) and
`fixed_size_curve`.
"""

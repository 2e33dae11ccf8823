"""Arithmetic that is certain of its ends; it knows nothing of privacy.

Read `enclosure` first (two floats with the truth between them, and balls); then `rounding` (floats with stated errors),
`positive`, `roots`, `search` and `crossing` (guesses, and how they are certified), `legendre`, `gamma`, `chain`,
`binomial_tail`, `special` (SciPy's functions, fetched late); `effort` counts what a question takes.
"""

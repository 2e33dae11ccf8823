"""Arithmetic with proven error bounds; it knows nothing of privacy.

Read `enclosure` first (two floats with the truth between them, and balls, at a `precision`); then `rounding` (floats
with stated errors), `positive`, `roots`, `search` and `crossing` (guesses, and how they are certified), `legendre`,
`gamma`, `chain`, `binomial_tail`, `special` (SciPy's functions, imported late). `effort` counts the work that a
question takes; `unreachable` lists why a computation gives up.
"""

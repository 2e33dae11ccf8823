"""What is known, one room a notion: how it composes and what it implies. Everything here states theorems.

Read `post`, then `approx` (what follows from ε and δ), `gdp`, `loss` (the law of the loss itself), `renyi`, `zcdp`,
`sampling`, and `batches` last. `sketches` holds what the published sketches promise.

`index.json` says of each theorem where it is proved and when it holds: a proof is read when it is first run.
"""

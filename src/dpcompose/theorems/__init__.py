"""Every theorem, in one package a notion: how the notion composes and what it implies.

Read `post`, then `approx` (what follows from ε and δ), `gdp`, `loss` (the law of the loss itself), `renyi`, `zcdp`,
`sampling`, and `batches` last. `bounded_range` serves selections; `sketches` holds what the published sketches promise.

`index.json` says of each theorem where it is proved and when it holds, so a proof is imported only when it is used.
"""

"""Few or rare steps: the law of each loss moved to a lattice, once below and once above, and added up there.

In the order of reading: `cells` (what a lattice needs of a step), `panels` (integrals over cells), `atom_cells`,
`laplace_cells`, `normal_cells` (one kind a file), `pieces` (which kind is which), `bracket_laws` (weights below and
above), `meshes` (which lattice), `convolution` (their sums), `bracket` (two laws around the true one),
`lattice_answer` (refined until close). `kept_lattice` grows; `pointwise`, `enumerated` and `laplace_by_count` are
exact where there are few values.
"""

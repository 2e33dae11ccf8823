"""Few or rare steps: the law of each loss is moved to a lattice, once downwards and once upwards, and summed there.

In the order of reading: `cells` (what a lattice needs of a step), `panels` (integrals over cells), `atom_cells`,
`laplace_cells`, `normal_cells` (one kind a file), `pieces` (which kind is which), `bracket_laws` (weights below and
above), `meshes` (which lattice), `convolution` (sums of laws), `bracket` (two laws around the true one),
`lattice_answer` (refined until close). `kept_lattice` keeps a lattice to which steps are added; `pointwise`,
`enumerated` and `laplace_by_count` are exact where there are few values.
"""

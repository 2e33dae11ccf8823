"""From a table to noisy answers: the only package that touches rows. Every path in it is total.

In the order of reading: `kinds` (the values of a column, the same in every engine), `rows` (what is done with rows),
`duck` and `spark` (the two engines); `table` (a table, and conditions on its columns), `tables` (anything that is a
table), with `frames`, `text`, `parquet`, `sandbox` for data in memory and in files and `files`, `databases`, `selects`,
`lazies` for what chooses from a table; `totals`, `masks` and `points` (bounded sums); `answers` (sums with noise) and
`secret` (an exact sum, which never leaves).
"""

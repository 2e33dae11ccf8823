"""From a table to noisy answers: the only room in which rows are touched, and every path in it is total.

| file | does |
|---|---|
| `kinds` | what the values of a column are, the same in every engine |
| `rows` | rows inside an engine, and the few things that are done with them |
| `duck`, `spark` | the two engines |
| `frames`, `text`, `parquet`, `sandbox` | frames in memory, the two formats of files, the embedded engine |
| `table` | what a table is, and conditions on its columns |
| `files`, `databases`, `selects`, `lazies` | tables of files and databases; SELECTs and plans, which choose from one |
| `tables` | anything that is a table, through one door |
| `totals`, `masks`, `points` | bounded sums, inside the engine |
| `answers` | sums, with noise; exact ones are a `secret` |
"""

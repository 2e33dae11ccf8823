"""What may be asked of a table, of whom it is hidden, and what it costs: everything here is known without any data.

Read `queries` (a query and its price) first, with `sources`, `contributions` and `noises`; then `statistics`,
`quantiles` (on `grids`) and `thresholds`; `result` is what comes back.
"""

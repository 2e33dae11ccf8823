"""Many steps: δ and ε by inverting the transform of their losses along a vertical line through a saddle.

In the order of reading: `reading` (what a line says, and its errors), `line` (one line and its sums), `spectrum` (the
transform on a grid), `build` (how a line is laid), `lattice_line` (losses that are multiples of one number), `jumps`
(rare large losses taken out and put back), `search` (where δ is met). Then `in_balls` and `smoothed_in_balls`, the
same in exact arithmetic, with `escalation`, which says when; and `running_sums` and `kept_line`, for what grows.
"""

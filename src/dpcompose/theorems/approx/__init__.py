"""What follows from (ε, δ) alone. `steps` holds the numbers of a composition; `closed_forms` are the bounds with
pencil and paper, `optimal` the exact optimum, `recipes` their inverses. `groups`: several records at once.
"""

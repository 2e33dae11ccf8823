"""How much privacy a sequence of differentially private mechanisms costs, all together."""

"""Numbers that know how wrong they are. Nothing in here has heard of privacy."""

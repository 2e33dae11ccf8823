"""The migrations, one a file, in the order of their numbers; a released one is never edited."""

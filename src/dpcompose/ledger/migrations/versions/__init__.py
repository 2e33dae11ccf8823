"""The steps, one a file; a released step is never edited."""

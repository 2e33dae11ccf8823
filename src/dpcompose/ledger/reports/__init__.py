"""What a book shows of itself. Read `statement` (a page for outsiders), then `burndown` (a picture of what is left of a
budget) and `exports` (every entry, as a file).
"""

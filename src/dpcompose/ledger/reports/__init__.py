"""What a book shows: the `statement` for outsiders, the `burndown` picture, and `exports` of every entry."""

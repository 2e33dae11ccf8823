"""Proving: from a mechanism to claims, from claims to an enclosure, and every theorem side by side."""

"""Sees which line of the user's changes what a failed guard reads. Standard library only."""

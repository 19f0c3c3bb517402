"""Findings of a run, joined, ranked by what a fix saves, with all else that is said of it."""

"""Explain why a start was not warm: look-ups of torch's caches, and those of an earlier run."""

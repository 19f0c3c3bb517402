"""From files to a run: each file read once, in a pool, and joined by process."""

"""Seconds lost, by rank and in all, and seconds that torch's caches would have saved."""

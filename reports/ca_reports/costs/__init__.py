"""What was lost, by rank and in all, and what caches would have saved."""

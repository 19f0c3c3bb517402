"""The model of a run, and what builds it from records."""

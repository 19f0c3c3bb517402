"""Which sizes inputs have, and which to pad to: plans for a run, by what was measured."""

"""Words on tensors that stand in a number's place."""

from __future__ import annotations

# A compiled backward may take the new value of one that is changed in place for the old (CA615).
REBOUND = "set to a new tensor where it changes, not changed in place"

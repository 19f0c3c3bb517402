"""How values, numbers, names and places are written, in every output."""

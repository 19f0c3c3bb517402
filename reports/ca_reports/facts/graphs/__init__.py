"""Captured graphs: their text as a graph, folded, compared and laid out. No I/O."""

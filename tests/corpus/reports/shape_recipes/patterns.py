"""Tiny named-axis reshaping, in the spirit of a string based rearrange."""

_recipes = {}


def _parse(pattern):
    left, right = [side.split() for side in pattern.split("->")]
    order = [left.index(name) for name in right]
    return tuple(order)


def reorder(x, pattern):
    """Permute x after a pattern like 'b t h d -> b h t d'. Patterns are parsed once."""
    if pattern not in _recipes:
        _recipes[pattern] = _parse(pattern)
    return x.permute(_recipes[pattern])

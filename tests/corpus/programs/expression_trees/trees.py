"""Random arithmetic expressions, as nested tuples."""

import random

OPERATORS = "+-*"
LEAVES = "xyz12"


def grow(rng, depth):
    """A full tree of this depth."""
    if depth == 0:
        return rng.choice(LEAVES)
    return rng.choice(OPERATORS), grow(rng, depth - 1), grow(rng, depth - 1)


def depth_of(tree):
    return 0 if isinstance(tree, str) else 1 + max(map(depth_of, tree[1:]))


def curriculum(steps, seed=0):
    """Deeper expressions as training goes on."""
    rng = random.Random(seed)
    for step in range(steps):
        yield grow(rng, depth=1 + step * 3 // steps)

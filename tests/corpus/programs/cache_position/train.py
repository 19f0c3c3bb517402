"""Writes greedily from a first token."""

import torch
from cache import Cache
from decoder import Decoder


def tokens(step, first, count, cache):
    """Yields one token after the other."""
    token = first
    for position in range(count):
        token = step(token, cache, position)
        yield token


@torch.no_grad()
def main():
    torch.manual_seed(0)
    model = Decoder().eval()
    step = torch.compile(model, backend="aot_eager")
    for _ in range(3):
        cache = Cache.empty(depth=2, batch=3, longest=24, width=16)
        first = torch.randint(0, 40, (3,))
        written = torch.stack(list(tokens(step, first, 10, cache)), 1)
    print(written.tolist())


if __name__ == "__main__":
    main()

"""Greedy answers."""

import torch
from layers import Past


@torch.no_grad()
def answer(step, prompt, layers=2, length=6):
    past = Past(layers)
    token, said = prompt, []
    for _ in range(length):
        token = step(token, past).argmax(-1)
        said.append(token)
    return torch.stack(said, 1)

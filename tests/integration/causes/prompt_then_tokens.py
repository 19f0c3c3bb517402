"""A prompt is read at once, and then one token after another: two graphs by design."""

# finds nothing
# never /mark_unbacked|dynamic=True|pad/
import torch
from torch import nn

words, out = nn.Embedding(20, 8), nn.Linear(8, 20)


@torch.compile(backend="eager")
def step(ids: torch.Tensor, store: torch.Tensor) -> torch.Tensor:
    hidden = words(ids)
    return out(hidden @ store.transpose(1, 2) @ store)[:, -1].argmax(-1, keepdim=True)


with torch.no_grad():
    for _ in range(3):
        store = torch.randn(1, 16, 8)
        token = step(torch.randint(0, 20, (1, 12)), store)
        for _ in range(4):
            token = step(token, store)

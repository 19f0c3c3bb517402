"""Sample tokens; each group of requests brings its own filters."""
import torch
from torch import nn


def request_groups():
    yield {"temperature": 0.8}
    yield {"temperature": 1.0, "top_k": 5}
    yield {"temperature": 0.7, "top_p": 0.9}
    yield {"temperature": 1.2, "top_k": 8, "top_p": 0.8}


class Head(nn.Module):
    def __init__(self, words=32, width=12):
        super().__init__()
        self.project = nn.Linear(width, words)

    def forward(self, hidden, temperature, top_k=None, top_p=None):
        logits = self.project(hidden) / temperature[:, None]
        ordered, order = logits.sort(-1, descending=True)
        if top_k is not None:
            rank = torch.arange(ordered.shape[-1])
            ordered = ordered.masked_fill(rank >= top_k[:, None], -1e9)
        if top_p is not None:
            mass = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
            ordered = ordered.masked_fill(mass >= top_p[:, None], -1e9)
        return ordered.softmax(-1).max(-1).values, order[:, 0]


@torch.no_grad()
def main():
    torch.manual_seed(40)
    head = Head()
    probabilities = torch.compile(head, backend="eager")
    rows, total = 6, 0.0
    for _ in range(3):
        for group in request_groups():
            filters = {name: torch.full((rows,), value) for name, value in group.items()}
            best, word = probabilities(torch.randn(rows, 12), **filters)
            total += best.sum().item()
    print(f"total {total:.5f}")


if __name__ == "__main__":
    main()

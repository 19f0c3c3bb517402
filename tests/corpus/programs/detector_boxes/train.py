"""Pictures of a detector have some boxes each: 2 to 6, and now and then a single one."""

import torch
from torch import nn
from torch.nn import functional

COUNTS = (5, 3, 1, 6, 4, 1, 2)


class Matcher(nn.Module):
    def __init__(self, queries=8, width=10):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(queries, width))
        self.box = nn.Linear(width, 4)

    def forward(self, features, boxes):
        predicted = self.box(self.queries + features)
        apart = torch.cdist(predicted, boxes, p=1)
        return apart.min(0).values.mean() + functional.softplus(-apart).mean()


def main():
    torch.manual_seed(0)
    model = Matcher()
    compiled = torch.compile(model, backend="eager", dynamic=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    annotated = torch.rand(max(COUNTS), 4)
    for count in COUNTS:
        loss = compiled(torch.randn(10), annotated[:count])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()

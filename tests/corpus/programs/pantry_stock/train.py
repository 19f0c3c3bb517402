"""Adapts a forecast of stock to a new household, from the head down."""

import torch
from plan import Plan, free
from shelves import GOODS, SHELVES, ByShelf, records
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


class Forecast(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(GOODS, width), nn.Embedding(SHELVES, width)])
        self.mixer = nn.Sequential(nn.Linear(2 * width + 1, width), nn.Tanh())
        self.head = nn.Linear(width, 1)

    def forward(self, goods, shelf, stock):
        known = [table(column) for table, column in zip(self.tables, (goods, shelf), strict=True)]
        return self.head(self.mixer(torch.cat([*known, stock[:, None]], 1))).squeeze(1)


def main(epochs=4):
    torch.manual_seed(31)
    model, plan, data = Forecast(), Plan(), records(64)
    loader = DataLoader(data, batch_sampler=ByShelf(data, 8))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            free(model, plan.at(epoch))
            for goods, shelf, stock, wanted in loader:
                loss = (model(goods, shelf, stock) - wanted).abs().mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()


if __name__ == "__main__":
    main()

"""Fine-tunes the counting of colonies."""

import random

import torch
from callbacks import Thaw
from dish import Dishes
from net import CountNet
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


def fit(model, loader, callbacks, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for callback in callbacks:
        callback.begin(model)
    for epoch in range(epochs):
        for callback in callbacks:
            callback.on_epoch(model, epoch)
        for histogram, count in loader:
            loss = torch.nn.functional.poisson_nll_loss(model(histogram), count.log1p())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        yield epoch, loss.item()


def main():
    torch.manual_seed(64)
    random.seed(10)
    model = CountNet()
    loader = DataLoader(Dishes(48), batch_size=8, shuffle=True)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch, loss in fit(model, loader, [Thaw({2: "stem"})], epochs=4):
            print(f"{epoch}: {loss:.3f}")


if __name__ == "__main__":
    main()

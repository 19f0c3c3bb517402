"""Translates between languages, some by way of a third."""

import torch
from sentences import LANGUAGES, Parallel
from torch._dynamo import compiled_autograd
from translator import Translator, loss_of


def main(steps=9):
    torch.manual_seed(0)
    data, model = Parallel(), Translator(LANGUAGES)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    seen = {}
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(steps):
            source, target = data.direction()
            loss = loss_of(model, data.batch(), source, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen[source, target] = loss.item()


if __name__ == "__main__":
    main()

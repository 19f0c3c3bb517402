"""Finetunes adapters, one more in every epoch; an average of the weights is kept."""

import copy

import torch
from lora import adapted, set_trainable
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = adapted()
    average = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(3):
            set_trainable(model, 1 + epoch)
            for _ in range(3):
                x, labels = torch.randn(8, 8), torch.randint(0, 3, (8,))
                loss = functional.cross_entropy(model(x), labels)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)
                with torch.no_grad():
                    for old, new in zip(average.parameters(), model.parameters(), strict=True):
                        old.lerp_(new, 0.1)


if __name__ == "__main__":
    main()

"""Trains the decoder."""

import torch
from model import Decoder
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = Decoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(4):
            x = torch.randn(6, 8)
            loss = functional.cross_entropy(model(x), x[:, :4].argmax(1))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()

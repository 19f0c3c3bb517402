"""Activation checkpointing inside a compiled model. Nothing is wrong here."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


class Tower(nn.Module):
    def __init__(self, width=8, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + checkpoint(layer, x, use_reentrant=False).tanh()
        return x


def main():
    torch.manual_seed(0)
    tower = Tower()
    model = torch.compile(tower, backend="aot_eager")
    optimizer = torch.optim.AdamW(tower.parameters(), lr=1e-2)
    for parameter in tower.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(5):
            x = torch.randn(6, 8)
            loss = functional.mse_loss(model(x), x.flip(1))
            loss.backward()
            nn.utils.clip_grad_norm_(tower.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()

"""Prompt tuning: the learned prompt and a frozen one take turns."""

import torch
from torch import nn
from torch.nn import functional

backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
backbone.requires_grad_(False)


@torch.compile(backend="eager")
def logits_of(prompt, inputs):
    return backbone(inputs + prompt.mean(0))


def main():
    torch.manual_seed(0)
    learned = nn.Parameter(torch.randn(4, 8))
    frozen = learned.detach().clone().requires_grad_()
    optimizer = torch.optim.Adam([learned], lr=1e-2)
    for step in range(8):
        inputs, labels = torch.randn(12, 8), torch.randint(0, 3, (12,))
        prompt = frozen if step % 4 == 3 else learned
        loss = functional.cross_entropy(logits_of(prompt, inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()

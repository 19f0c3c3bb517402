"""An eager forward in full precision for some steps, then under autocast."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            x, labels = torch.randn(8, 6), torch.randint(0, 3, (8,))
            with torch.autocast("cpu", torch.bfloat16, enabled=step >= 3):
                logits = model(x)
            loss = functional.cross_entropy(logits.float(), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()

"""Every third batch also prepares adversarial examples for the next."""

import torch
from attack import perturbed, watch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    examples = None
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            x = torch.randn(8, 6) if examples is None else examples
            examples = None
            labels = (x.detach().sum(1) > 0).long()
            if step % 3 == 1:
                x = watch(x)
            functional.cross_entropy(model(x), labels).backward()
            if step % 3 == 1:
                examples = perturbed(x.detach(), x.grad)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()

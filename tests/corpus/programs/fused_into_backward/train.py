"""Each parameter is updated as soon as its gradient is there, so that gradients take no memory."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional

RATE = 0.05


def step_in_backward(model):
    optimizers = {}
    for parameter in model.parameters():
        optimizers[parameter] = torch.optim.SGD([parameter], lr=RATE)

    def update(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad(set_to_none=False)

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(update)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 3))
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    step_in_backward(model)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(3):
            x = torch.randn(8, 6)
            functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()


if __name__ == "__main__":
    main()

"""The Lion optimizer, with all tensors of a group in one update."""

import torch


@torch.compile(backend="eager", dynamic=False)
def update(parameters, gradients, averages, lr, decay, fast, slow):
    signs = torch._foreach_lerp(averages, gradients, 1 - fast)
    torch._foreach_sign_(signs)
    torch._foreach_mul_(parameters, 1 - lr * decay)
    torch._foreach_add_(parameters, signs, alpha=-lr)
    torch._foreach_lerp_(averages, gradients, 1 - slow)


class Lion(torch.optim.Optimizer):
    def __init__(self, parameters, lr=1e-3, decay=0.01, betas=(0.9, 0.99)):
        super().__init__(parameters, {"lr": lr, "decay": decay, "betas": betas})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            parameters = [one for one in group["params"] if one.grad is not None]
            gradients = [one.grad for one in parameters]
            averages = [self.average_of(one) for one in parameters]
            update(parameters, gradients, averages, group["lr"], group["decay"], *group["betas"])

    def average_of(self, parameter):
        state = self.state[parameter]
        if "average" not in state:
            state["average"] = torch.zeros_like(parameter)
        return state["average"]

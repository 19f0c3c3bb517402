import math

import torch


class NAdamLite(torch.optim.Optimizer):
    """Nesterov Adam with decoupled weight decay; update math per parameter in one function."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    def _state(self, p):
        state = self.state[p]
        if not state:
            state["step"] = 0
            state["exp_avg"] = torch.zeros_like(p)
            state["exp_avg_sq"] = torch.zeros_like(p)
        return state

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self._state(p)
                state["step"] += 1
                _update(p, p.grad, state["exp_avg"], state["exp_avg_sq"], state["step"], group)


def _update(p, grad, exp_avg, exp_avg_sq, step, group):
    beta1, beta2 = group["betas"]
    c1 = 1 - math.pow(beta1, step)
    c2 = 1 - math.pow(beta2, step)
    exp_avg.lerp_(grad, 1 - beta1)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    p.mul_(1 - group["lr"] * group["weight_decay"])
    direction = exp_avg * (beta1 / c1) + grad * ((1 - beta1) / c1)
    denom = (exp_avg_sq / c2).sqrt() + group["eps"]
    p.sub_(group["lr"] * direction / denom)

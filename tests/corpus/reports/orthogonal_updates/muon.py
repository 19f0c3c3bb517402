import torch


@torch.compile(backend="aot_eager")
def muon_update(param, momentum, lr, beta, rounds):
    momentum.lerp_(param.grad, 1 - beta)
    x = momentum / (momentum.norm() + 1e-7)
    for _ in range(rounds):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    param.sub_(lr * x)


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr, beta=0.9, rounds=3):
        super().__init__(params, dict(lr=lr, beta=beta, rounds=rounds))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                muon_update(p, state["momentum"], group["lr"], group["beta"], group["rounds"])

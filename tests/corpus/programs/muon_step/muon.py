import torch


def zeropower_via_newtonschulz5(G, steps):
    """Newton-Schulz iteration to compute the zeroth power / orthogonalization of G."""
    a, b, c = (3.4445, -4.7750, 2.0315)
    X = G / (G.norm() + 1e-7)
    for _ in range(steps):
        A = X @ X.T
        B = b * A + c * A @ A
        X = a * X + B @ X
    return X


def muon_update(p, grad, buf, lr, momentum, weight_decay, ns_steps):
    buf.lerp_(grad, 1 - momentum)
    update = grad.lerp(buf, momentum)
    update = zeropower_via_newtonschulz5(update, ns_steps)
    p.mul_(1 - lr * weight_decay)
    p.add_(update, alpha=-lr)


update_one = torch.compile(muon_update, backend="aot_eager")


class Muon(torch.optim.Optimizer):
    """MomentUm Orthogonalized by Newton-schulz, for the square matrices of hidden layers."""

    def __init__(self, params, lr=0.02, weight_decay=0.01, momentum=0.95, ns_steps=4):
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "ns_steps": ns_steps,
        }
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["momentum_buffer"] = torch.zeros_like(p)
                update_one(
                    p,
                    p.grad,
                    state["momentum_buffer"],
                    group["lr"],
                    group["momentum"],
                    group["weight_decay"],
                    group["ns_steps"],
                )

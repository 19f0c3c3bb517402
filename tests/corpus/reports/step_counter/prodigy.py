"""An optimizer of our own: Adam with a slowly growing trust in the second moment."""
import torch


class Trust(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01, betas=(0.9, 0.99), warm=40):
        super().__init__(params, dict(lr=lr, betas=betas, warm=warm))
        self.update = torch.compile(self._update, backend="eager")

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["m"] = torch.zeros_like(p)
                    state["v"] = torch.zeros_like(p)
                self.update(p, p.grad, state, group)

    def _update(self, p, grad, state, group):
        b1, b2 = group["betas"]
        state["step"] += 1
        state["m"].lerp_(grad, 1 - b1)
        state["v"].lerp_(grad * grad, 1 - b2)
        trust = min(1.0, state["step"] / group["warm"])
        p.sub_(group["lr"] * trust * state["m"] / (state["v"].sqrt() + 1e-6))

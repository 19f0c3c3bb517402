import torch


@torch.compile(backend="aot_eager")
def adam_step(params, grads, exp_avg, exp_avg_sq, lr, step, beta1, beta2):
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        m.lerp_(g, 1 - beta1)
        v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        size = lr / (1 - beta1**step)
        denom = (v / (1 - beta2**step)).sqrt() + 1e-8
        p.addcdiv_(m, denom, value=-size)


class ScalarAdam(torch.optim.Optimizer):
    def __init__(self, params, lr, betas=(0.9, 0.99)):
        super().__init__(params, dict(lr=lr, betas=betas))
        self.t = 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        for group in self.param_groups:
            ps = [p for p in group["params"] if p.grad is not None]
            for p in ps:
                if not self.state[p]:
                    self.state[p] = {"m": torch.zeros_like(p), "v": torch.zeros_like(p)}
            ms = [self.state[p]["m"] for p in ps]
            vs = [self.state[p]["v"] for p in ps]
            lr, step = group["lr"], self.t
            adam_step(ps, [p.grad for p in ps], ms, vs, lr, step, *group["betas"])

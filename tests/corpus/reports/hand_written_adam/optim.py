import torch


@torch.compile(backend="aot_eager")
def adam_update(p, grad, m, v, step, lr, wd, beta1, beta2, eps):
    p.mul_(1 - lr * wd)
    m.lerp_(grad, 1 - beta1)
    v.lerp_(grad.square(), 1 - beta2)
    bc1 = 1 - beta1 ** step
    bc2 = 1 - beta2 ** step
    denom = (v / bc2).sqrt() + eps
    p.addcdiv_(m, denom, value=-lr / bc1)


class CompiledAdam:
    def __init__(self, params, weight_decay, betas=(0.9, 0.99), eps=1e-8):
        self.params = list(params)
        self.wd, self.betas, self.eps = weight_decay, betas, eps
        self.state = [(torch.zeros_like(p), torch.zeros_like(p)) for p in self.params]
        self.t = 0

    @torch.no_grad()
    def step(self, lr):
        self.t += 1
        for p, (m, v) in zip(self.params, self.state):
            adam_update(p, p.grad, m, v, self.t, lr, self.wd, *self.betas, self.eps)

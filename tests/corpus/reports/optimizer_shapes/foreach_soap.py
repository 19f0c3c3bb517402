import torch


@torch.compile(dynamic=False, backend="aot_eager")
def lion_update(p, grad, m, lr, beta1, beta2):
    p.sub_(lr * (beta1 * m + (1 - beta1) * grad).sign())
    m.lerp_(grad, 1 - beta2)


class CompiledLion:
    def __init__(self, params, lr, beta1=0.9, beta2=0.99):
        self.params = list(params)
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.momentum = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, m in zip(self.params, self.momentum):
            lion_update(p, p.grad, m, self.lr, self.beta1, self.beta2)

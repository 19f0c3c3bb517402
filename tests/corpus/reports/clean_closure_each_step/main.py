import torch
from torch import nn


class Recipe:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 1))
        self.params = list(self.net.parameters())
        self.speed = [torch.zeros_like(p) for p in self.params]
        self.rate = torch.tensor(0.05)

    def train_step(self, x, y):
        loss = (self.net(x).squeeze(-1) - y).square().mean()
        grads = torch.autograd.grad(loss, self.params)

        def optimizer_fn():
            for p, v, g in zip(self.params, self.speed, grads):
                v.mul_(0.9).add_(g)
                p.sub_(self.rate * v)

        with torch.no_grad():
            torch.compile(optimizer_fn, backend="aot_eager", fullgraph=True)()
        return loss.item()


def main():
    torch.manual_seed(24)
    recipe, total = Recipe(), 0.0
    for step in range(10):
        x = torch.randn(16, 6)
        recipe.rate.fill_(0.05 * 0.9 ** step)
        total += recipe.train_step(x, x.sum(-1).sin())
    print("FINAL %.5f" % total)


main()

"""Train a funnel network with orthogonalised updates (a toy Muon)."""
import torch
import torch.nn as nn


@torch.compile(backend="eager", fullgraph=True)
def post_orthogonalize(weight, update, lr: float):
    scale = (update.shape[0] / update.shape[1]) ** 0.5
    weight.mul_(1 - 0.01 * lr)
    weight.add_(update * scale, alpha=-lr)


def orthogonalize(grad, steps=3):
    x = grad / (grad.norm() + 1e-7)
    for _ in range(steps):
        x = 1.5 * x - 0.5 * x @ x.T @ x
    return x


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr=0.02):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                post_orthogonalize(p, orthogonalize(p.grad), group["lr"])


def main():
    torch.manual_seed(8)
    sizes = [20, 18, 16, 15, 13, 12, 10, 9, 7, 6, 4]
    layers = [nn.Linear(a, b, bias=False) for a, b in zip(sizes, sizes[1:])]
    net = nn.Sequential(*[m for layer in layers for m in (layer, nn.Tanh())][:-1])
    opt = Muon(net.parameters())
    x, y = torch.randn(32, 20), torch.randn(32, 4)
    for _ in range(4):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()

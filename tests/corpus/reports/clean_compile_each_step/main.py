import torch


def single_adam(p, grad, step, m, v, lr):
    m.lerp_(grad, 0.1)
    v.lerp_(grad.square(), 0.01)
    p.sub_(lr * (m / (1 - 0.9 ** step)) / ((v / (1 - 0.99 ** step)).sqrt() + 1e-8))


def main():
    torch.manual_seed(0)
    p, goal = torch.randn(6, 4), torch.randn(6, 4)
    m, v, step = torch.zeros_like(p), torch.zeros_like(p), torch.tensor(0.0)
    lr = torch.tensor(0.05)
    for _ in range(15):
        step += 1
        torch.compile(single_adam, backend="aot_eager", fullgraph=True, dynamic=False)(p, p - goal, step, m, v, lr)
    print("FINAL %.5f" % (p - goal).square().sum())


main()

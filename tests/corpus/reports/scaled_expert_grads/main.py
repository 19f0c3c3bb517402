import torch

from experts import Experts


def main():
    torch.manual_seed(28)
    net = Experts()
    params = list(net.parameters())
    opt = torch.optim.SGD(params, lr=0.1)
    total = 0.0
    for step in range(14):
        tokens = 2 + step % 3
        rows = torch.randn(tokens, 6)
        loss = (net(rows) - rows.flip(-1)).square().sum()
        opt.zero_grad()
        loss.backward()
        scaler = torch.tensor(1.0 / tokens)

        def scale_grads():
            for p in params:
                if p.grad is not None:
                    p.grad.mul_(scaler)

        torch.compile(scale_grads, backend="aot_eager")()
        opt.step()
        total += loss.item() / tokens
    print("FINAL %.5f" % total)


main()

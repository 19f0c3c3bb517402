import torch
from nets import Autoencoder


def compiled_backward(loss):
    torch.compile(lambda: loss.backward(), backend="aot_eager")()


def main():
    torch.manual_seed(0)
    torch._dynamo.config.compiled_autograd = True
    net = Autoencoder(dim=10, code=3)
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    g = torch.Generator().manual_seed(18)
    for step in range(6):
        x = torch.randn(16, 10, generator=g)
        rec, code = net(x)
        loss = (rec - x).pow(2).mean() + 0.01 * code.abs().mean()
        opt.zero_grad(set_to_none=True)
        compiled_backward(loss)
        opt.step()
        print(f"step {step} loss {loss.item():.5f}")
    torch._dynamo.config.compiled_autograd = False
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()

import torch
from recurrent import RecurrentNet
from schedule import variant_at, VARIANTS
from warmup import precompile


def main():
    torch.manual_seed(0)
    net = RecurrentNet(dim=10)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    step_fn = torch.compile(net, backend="aot_eager")
    precompile(net, opt, step_fn, VARIANTS)
    g = torch.Generator().manual_seed(0)
    for step in range(12):
        passes, quant = variant_at(step, total=12)
        x = torch.randn(8, 10, generator=g)
        loss = (step_fn(x, passes, quant) - x.cumsum(1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} passes {passes} quant {quant} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()

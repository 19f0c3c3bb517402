import torch
from qat import QATLinear, set_fake_quant
from torch import nn

FAKE_QUANT_AFTER_N_STEPS = 5


def main():
    torch.manual_seed(0)
    model = nn.Sequential(QATLinear(8, 24), nn.ReLU(), QATLinear(24, 1))
    set_fake_quant(model, False)
    compiled = torch.compile(model, backend="aot_eager")
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(0)
    for step in range(12):
        if step == FAKE_QUANT_AFTER_N_STEPS:
            print("enabling fake quant")
            set_fake_quant(model, True)
        x = torch.randn(32, 8, generator=g)
        loss = (compiled(x)[:, 0] - x.sum(1).sin()).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()

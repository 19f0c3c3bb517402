import torch
from flow import FlowDecoder


def main():
    torch.manual_seed(0)
    dec = FlowDecoder(dim=8, layers=2)
    fast = torch.compile(dec, backend="aot_eager")
    opt = torch.optim.Adam(dec.parameters(), lr=0.01)
    g = torch.Generator().manual_seed(0)
    for step in range(3):
        x1, x0 = torch.randn(4, 8, generator=g), torch.randn(4, 8, generator=g)
        t = torch.rand(4, 1, generator=g)
        loss = (fast(t * x1 + (1 - t) * x0, t) - (x1 - x0)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()

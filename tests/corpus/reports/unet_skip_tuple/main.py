import torch
from pipe_layers import build_stages


def main():
    torch.manual_seed(0)
    stages = build_stages(dim=8, depth=10)
    for stage in stages:
        stage.compile(backend="aot_eager")
    params = [p for s in stages for p in s.parameters()]
    opt = torch.optim.SGD(params, lr=0.02)
    g = torch.Generator().manual_seed(1)
    for step in range(3):
        noisy, clean = torch.randn(2, 6, 8, generator=g), torch.randn(2, 6, 8, generator=g)
        carried = (noisy, torch.full((2, 8), 0.1 * step))
        for stage in stages:
            carried = stage(carried)
        loss = (carried[0] - clean).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()

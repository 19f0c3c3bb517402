"""Fine-tunes a small net with a compiled optimizer step and a warm-up schedule."""
import torch
from torch import nn
import torch.nn.functional as F


def build(steps):
    torch.manual_seed(25)
    model = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=torch.tensor(1e-2))
    optimizer.step = torch.compile(optimizer.step, backend="aot_eager")
    warm = torch.tensor([min(1.0, (i + 1) / 3) for i in range(steps + 1)])
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: warm[i])
    return model, optimizer, scheduler


def main():
    model, optimizer, scheduler = build(8)
    generator = torch.Generator().manual_seed(25)
    compiled = torch.compile(model, backend="aot_eager")
    for step in range(8):
        x = torch.randn(32, 6, generator=generator)
        loss = F.cross_entropy(compiled(x), (x.sum(dim=1) > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        print(f"step {step} loss {loss.item():.4f} lr {float(scheduler.get_last_lr()[0]):.5f}")


if __name__ == "__main__":
    main()

"""Which part of a tin ore sample is recoverable: a dense mixture of experts."""

import torch
from mixture import Mixture
from torch import nn

EPOCHS, PER_EPOCH, BATCH, EXPERTS = 5, 4, 16, 5
LR = (1e-2, 1e-3)


def assays(count, dim, generator):
    ore = torch.randn(count, dim, generator=generator)
    regime = (ore[:, 0] > 0).float()
    return ore, regime * ore[:, 1] - (1 - regime) * ore[:, 2]


def geometric(start, end, progress):
    return start * (end / start) ** progress


def main():
    torch.manual_seed(31)
    generator = torch.Generator().manual_seed(31)
    model = Mixture(experts=EXPERTS)
    optimizer = torch.optim.Adam(model.parameters(), lr=LR[0])
    compiled = torch.compile(model, backend="eager")
    for epoch in range(EPOCHS):
        progress = epoch / (EPOCHS - 1)
        model.router.top_k = max(1, EXPERTS - epoch)
        for group in optimizer.param_groups:
            group["lr"] = geometric(*LR, progress)
        total = torch.zeros(())
        for _ in range(PER_EPOCH):
            ore, recovered = assays(BATCH, 10, generator)
            loss = nn.functional.smooth_l1_loss(compiled(ore), recovered)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        load = ", ".join(f"{share:.2f}" for share in model.router.load.tolist())
        print(f"epoch {epoch} loss {total.item() / PER_EPOCH:.3f} load {load}")


if __name__ == "__main__":
    main()

"""Multi-task training with gradient surgery on the trunk."""

import torch
from surgery import GradientSurgery
from tasks import SharedTrunk, batches, losses_of
from torch._dynamo import compiled_autograd


def main(steps=6):
    torch.manual_seed(0)
    model = SharedTrunk()
    surgery = GradientSurgery(model.trunk.parameters())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for batch in batches(steps):
            losses = list(losses_of(model(batch["x"]), batch))
            merged = surgery(losses)
            optimizer.zero_grad()
            heads = list(model.heads.parameters())
            sum(losses).backward(inputs=heads)
            surgery.assign(merged)
            optimizer.step()
            schedule.step()


if __name__ == "__main__":
    main()

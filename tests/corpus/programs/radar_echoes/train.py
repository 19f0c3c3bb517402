#!/usr/bin/env python
import torch
import torch.nn.functional as F
from convnet import EchoNet, echoes
from torch.fx.experimental.optimization import fuse

EPOCHS, ITERS, BS = 4, 6, 32


def validate(model, gen):
    """Accuracy of the net as it is deployed: batch norms folded into the convolutions."""
    model.eval()
    deployed = torch.compile(fuse(model), backend="eager")
    hits = 0
    with torch.no_grad():
        for _ in range(3):
            x, y = echoes(BS, gen)
            hits += (deployed(x).argmax(1) == y).sum().item()
    model.train()
    return hits / (3 * BS)


def main():
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(11)
    model = EchoNet()
    train_model = torch.compile(model, backend="eager")
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.2, total_steps=EPOCHS * ITERS)
    best = 0.0
    for epoch in range(EPOCHS):
        for _ in range(ITERS):
            x, y = echoes(BS, gen)
            loss = F.cross_entropy(train_model(x), y, label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        acc = validate(model, gen)
        best = max(best, acc)
        print(f"epoch {epoch} loss {loss.item():.3f} acc {acc:.3f} best {best:.3f}")


if __name__ == "__main__":
    main()

"""Remove crackle from old records by sparse codes, sparser as training goes on."""

import torch
from ista import UnrolledShrinkage
from shellac import windows
from torch._dynamo import compiled_autograd

EPOCHS, BATCHES, BATCH, LENGTH = 5, 4, 16, 32
START, END = 0.02, 0.2

torch.manual_seed(9)
generator = torch.Generator().manual_seed(9)
net = UnrolledShrinkage(LENGTH, atoms=48)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
gain = torch.linspace(0.5, 1.5, EPOCHS).tolist()


def threshold_at(epoch):
    return START + (END - START) * epoch / (EPOCHS - 1)


def run():
    for epoch in range(EPOCHS):
        total = 0.0
        for _ in range(BATCHES):
            noisy, clean = windows(BATCH, LENGTH, generator)
            opt.zero_grad()
            out = net(gain[epoch] * noisy, threshold_at(epoch))
            loss = (out - gain[epoch] * clean).abs().mean()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"{epoch} l1={total / BATCHES:.4f} threshold={threshold_at(epoch):.3f}")


with compiled_autograd._enable(torch.compile(backend="eager", fullgraph=True)):
    run()

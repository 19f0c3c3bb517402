"""Train a spiking net on a retina's events by backpropagation through time."""

import torch
import torch.nn.functional as F
from events import batch
from neurons import SpikingNet

STEPS, BATCH, ITERATIONS, BACKEND = 4, 10, 6, "eager"


def rate_loss(spk_rec, labels):
    return F.cross_entropy(spk_rec.sum(0), labels)


def accuracy(net, generator):
    with torch.no_grad():
        events, labels = batch(BATCH, STEPS, generator)
        return (net(events).sum(0).argmax(1) == labels).float().mean().item()


def train():
    torch.manual_seed(17)
    generator = torch.Generator().manual_seed(17)
    net = SpikingNet(beta=0.9, threshold=0.3, surrogate="fast_sigmoid")
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, betas=(0.9, 0.999))
    firing = []
    for iteration in range(ITERATIONS):
        events, labels = batch(BATCH, STEPS, generator)
        spk_rec = net(events)
        loss = rate_loss(spk_rec, labels)
        optimizer.zero_grad()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend=BACKEND)):
            loss.backward()
        optimizer.step()
        firing.append(spk_rec.detach().mean())
        if iteration % 3 == 2:
            print(f"{iteration:3d} loss {loss.item():.3f} accuracy {accuracy(net, generator):.2f}")
    print(f"firing rate {torch.stack(firing).mean():.3f}")


if __name__ == "__main__":
    train()

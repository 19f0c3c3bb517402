"""Trains the tracker under compiled autograd."""

import torch
from sky import Camera
from torch._dynamo import compiled_autograd
from tracker import Tracker, objective

CLIP = 1.0


def step(model, optimizer, pictures, tracks, weight):
    optimizer.zero_grad()
    loss = objective(*model(pictures), tracks, weight)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    return loss.detach()


@torch.no_grad()
def miss(model, camera):
    pictures, tracks = camera.frames(20)
    return (model(pictures)[0] - tracks).norm(dim=1).mean().item()


def main(epochs=4):
    torch.manual_seed(41)
    model, camera = Tracker(), Camera()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.2, total_iters=8)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            weight = 0.5**epoch
            losses = []
            for pictures, tracks in camera(5):
                losses.append(step(model, optimizer, pictures, tracks, weight))
                warmup.step()
            print(f"{epoch}: {torch.stack(losses).mean():.3f}, misses by {miss(model, camera):.2f}")
    print("calls", model.calls)


if __name__ == "__main__":
    main()

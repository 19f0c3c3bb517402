"""Fits the glove, from short gestures to long ones."""

import torch
from curriculum import Curriculum
from glove import GloveNet, gesture
from torch.optim.lr_scheduler import LambdaLR


def fit(net, curriculum, steps):
    compiled = torch.compile(net, backend="eager", dynamic=False)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    schedule = LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
    for step in range(steps):
        bends, tips = gesture(8, frames=curriculum.level)
        error = (compiled(bends) - tips).abs().mean()
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        schedule.step()
        if curriculum.report(error.item()):
            print(f"step {step}: {curriculum.level} frames, sharpness {float(net.sharpness)}")
        if step % 7 == 6:
            net.promote()
    return error.item()


def main():
    torch.manual_seed(21)
    net = GloveNet()
    error = fit(net, Curriculum(range(8, 25, 4)), steps=18)
    print(f"error {error:.3f}")


if __name__ == "__main__":
    main()

"""Trains a network that scores grasps."""

from itertools import islice

import torch
from grasp import GraspNet
from scenes import Simulator
from torch.nn.functional import binary_cross_entropy_with_logits


def main():
    torch.manual_seed(0)
    net = GraspNet()
    score = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for number, scene in enumerate(islice(Simulator(), 12)):
        loss = binary_cross_entropy_with_logits(score(scene.cloud, scene.grasps), scene.held)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if number % 4 == 3:
            print(f"{number}: {loss.item():.3f}, {net.timings['encode']:.3f} s of encoding")


if __name__ == "__main__":
    main()

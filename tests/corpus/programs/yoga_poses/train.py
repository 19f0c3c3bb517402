"""Names poses by the places of joints."""

import torch
from blocks import JOINTS, Poses
from torch.nn import functional

NAMES = ("tree", "cobra", "warrior", "bridge")


class Studio:
    """A data set that is made up as it is asked for."""

    def __init__(self, size):
        self.ideal = torch.randn(len(NAMES), JOINTS, 2)
        self.size = size

    def __iter__(self):
        for _ in range(self.size):
            name = torch.randint(len(NAMES), (8,))
            yield self.ideal[name] + 0.1 * torch.randn(8, JOINTS, 2), name


def main():
    torch.manual_seed(2)
    net = Poses(len(NAMES))
    model = torch.compile(net, backend="eager")
    average = torch.optim.swa_utils.AveragedModel(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for number, (pose, name) in enumerate(Studio(size=6)):
        loss = functional.cross_entropy(model(pose), name)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update_parameters(net)
        if number % 3 == 0:
            print(f"{number}: {loss.item():.3f}, block began at {net.block.began:.3f}")


if __name__ == "__main__":
    main()

"""An augmentation pipeline; every step is compiled by its base class."""
import torch
from torch import nn

from augment import Brightness, ChannelDrop, Contrast, Flip, Gamma, Invert, Noise, Posterize, Solarize, Stretch

STEPS = (Brightness, Contrast, Flip, Gamma, Invert, Noise, Posterize, Solarize, Stretch, ChannelDrop)


class Pipeline(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList(step(0.7) for step in STEPS)

    def forward(self, images):
        for step in self.steps:
            images = step(images)
        return images


def main():
    torch.manual_seed(6)
    pipeline = Pipeline()
    for step in pipeline.steps:
        step.compile(backend="eager")
    head = nn.Linear(3 * 8 * 8, 2)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
    for _ in range(4):
        images, labels = torch.rand(8, 3, 8, 8), torch.randint(2, (8,))
        loss = nn.functional.cross_entropy(head(pipeline(images).flatten(1)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()

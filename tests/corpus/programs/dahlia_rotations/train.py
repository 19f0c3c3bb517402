"""Grades of dahlias from small photographs; backwards are compiled."""

import torch
from augment import RandomAffine, random_flip
from torch import nn


def make_flowers(n, generator):
    grade = torch.randint(4, (n,), generator=generator)
    images = torch.randn(n, 3, 16, 16, generator=generator)
    images[:, 0] += grade.float()[:, None, None] / 2
    return images, grade


def build_model():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 4),
    )


def main():
    torch.manual_seed(7)
    generator = torch.Generator().manual_seed(7)
    images, grades = make_flowers(64, generator)
    model = build_model().to(memory_format=torch.channels_last)
    affine = RandomAffine(seed=3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)
    for epoch in range(3):
        model.train()
        correct = 0
        for index in torch.randperm(64, generator=generator).split(16):
            x = images[index].to(memory_format=torch.channels_last)
            x = affine(random_flip(x, generator))
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, grades[index])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            correct += (logits.argmax(1) == grades[index]).sum().item()
        scheduler.step()
        print(f"epoch {epoch}: accuracy {correct / 64:.3f}")


if __name__ == "__main__":
    main()

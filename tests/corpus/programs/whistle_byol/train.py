"""Learns what whistles of marmots have in common, without labels."""

import random

import torch
from byol import BYOL
from telemetry import GradientWatch
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


def augment(sounds):
    shifted = sounds.roll(random.randrange(sounds.size(2)), dims=2)
    mask = (torch.rand(sounds.size(0), sounds.size(1), 1) > 0.2).float()
    return shifted * mask + 0.05 * torch.randn_like(sounds)


class TwoViews:
    def __init__(self, transform):
        self.transform = transform

    def __call__(self, samples):
        sounds = torch.stack(samples)
        return self.transform(sounds), self.transform(sounds)


def main(epochs=3):
    random.seed(0)
    torch.manual_seed(0)
    sounds = list(torch.randn(28, 8, 30))
    loader = DataLoader(
        sounds, batch_size=8, shuffle=True, drop_last=True, collate_fn=TwoViews(augment)
    )
    model = BYOL()
    watch = GradientWatch(model.predictor, "predictor.")
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(loader))
    step, total = 0, epochs * len(loader)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            for one, other in loader:
                loss = model(one, other)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
                step += 1
                model.update_teacher(step / total)
            print(f"epoch {epoch}: {loss.item():.3f}")
    print(watch.summary())


if __name__ == "__main__":
    main()

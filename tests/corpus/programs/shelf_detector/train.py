"""Trains a detector of products on shelves."""

import torch
from boxes import anchors
from criterion import detection_loss
from shelves import Shelves, collate_fn
from torch import nn
from torch.utils.data import DataLoader


class Detector(nn.Module):
    def __init__(self, classes=3, width=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.classes = nn.Conv2d(width, classes, 1)
        self.deltas = nn.Conv2d(width, 4, 1)
        self.register_buffer("anchors", anchors(stride=4, cells=4))
        self.criterion = torch.compile(detection_loss, backend="aot_eager")

    def forward(self, pictures, targets):
        features = self.backbone(torch.stack(pictures))
        scores = self.classes(features).flatten(2).transpose(1, 2)
        deltas = self.deltas(features).flatten(2).transpose(1, 2)
        losses = [
            self.criterion(score, delta, self.anchors, target["boxes"], target["labels"])
            for score, delta, target in zip(scores, deltas, targets, strict=True)
        ]
        return torch.stack(losses).mean()


def main():
    torch.manual_seed(7)
    loader = DataLoader(Shelves(), batch_size=4, collate_fn=collate_fn)
    model = Detector()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2], gamma=0.1)
    for epoch in range(3):
        for pictures, targets in loader:
            loss = model(pictures, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()

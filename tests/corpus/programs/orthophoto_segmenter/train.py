"""Trains a segmentation of orthophotos: fields, woods, roads, water."""

import random

import torch
from fcn import FCN, Criterion
from presets import SegmentationPresetTrain
from torch.utils.data import DataLoader, TensorDataset


def orthophotos(count=16, size=24, classes=4):
    masks = torch.randint(0, classes, (count, size // 4, size // 4))
    masks = masks.repeat_interleave(4, 1).repeat_interleave(4, 2)
    pictures = torch.randn(count, 3, size, size) + masks.unsqueeze(1)
    masks[:, :1] = 255
    return TensorDataset(pictures, masks)


def train_one_epoch(model, criterion, optimizer, data_loader, preset, lr_scheduler):
    model.train()
    for image, target in data_loader:
        image, target = preset(image, target)
        output = model(image)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lr_scheduler.step()
    return loss.item()


def main(epochs=3):
    random.seed(4)
    torch.manual_seed(4)
    data_loader = DataLoader(orthophotos(), batch_size=4, shuffle=True, drop_last=True)
    model, criterion = FCN(), Criterion()
    optimizer = torch.optim.SGD(
        [
            {"params": [*model.layer3.parameters(), *model.layer4.parameters()]},
            {"params": model.classifier.parameters()},
            {"params": model.aux_classifier.parameters(), "lr": 0.1},
        ],
        lr=0.02,
        momentum=0.9,
    )
    total = epochs * len(data_loader)
    lr_scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=total, power=0.9)
    preset = SegmentationPresetTrain(base_size=24)
    for epoch in range(epochs):
        criterion.epoch = epoch
        loss = train_one_epoch(model, criterion, optimizer, data_loader, preset, lr_scheduler)
        print(f"Epoch {epoch}: {loss:.3f}")


if __name__ == "__main__":
    main()

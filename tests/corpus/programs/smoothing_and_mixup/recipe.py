"""The training recipe: what happens to a batch and how its loss is computed."""

import random

import torch
from schedules import schedule
from torch import nn


class Recipe:
    def __init__(self, epochs, mixup=0.4):
        self.criterion = nn.CrossEntropyLoss()
        self.smoothing = schedule("linear", 0.2, epochs)
        self.mixup = mixup
        self.random = random.Random(2)

    def begin_epoch(self, epoch):
        self.criterion.label_smoothing = self.smoothing(epoch)

    def loss(self, model, images, labels):
        if self.random.random() > self.mixup:
            return self.criterion(model(images), labels)
        share = self.random.betavariate(0.4, 0.4)
        order = torch.randperm(len(images))
        logits = model(share * images + (1 - share) * images[order])
        own = self.criterion(logits, labels)
        return share * own + (1 - share) * self.criterion(logits, labels[order])

"""An anchor-free detector of road signs."""

import torch.nn as nn
import torch.nn.functional as F


class SignDetector(nn.Module):
    def __init__(self, classes=4, width=12):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1), nn.ReLU()
        )
        self.cls = nn.Conv2d(width, classes, 1)
        self.box = nn.Conv2d(width, 4, 1)

    def forward(self, images):
        features = self.backbone(images)
        logits = self.cls(features).flatten(2).transpose(1, 2)
        boxes = self.box(features).flatten(2).transpose(1, 2)
        return logits, boxes


def box_regression(boxes, targets, positive):
    return F.smooth_l1_loss(boxes[positive], targets[positive], reduction="sum")


def detection_loss(logits, boxes, labels, targets):
    """Labels are -1 where there is no sign."""
    positive = labels >= 0
    wanted = F.one_hot(labels.clamp(min=0), logits.shape[-1]) * positive.unsqueeze(-1)
    cls_loss = F.binary_cross_entropy_with_logits(logits, wanted.to(logits.dtype))
    box_loss = box_regression(boxes, targets, positive)
    num_positive = positive.sum()
    if num_positive > 0:
        box_loss = box_loss / num_positive
    return cls_loss + box_loss

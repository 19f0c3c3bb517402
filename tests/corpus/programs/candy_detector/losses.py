import torch
import torch.nn.functional as F
from registry import LOSSES
from torch import nn


@LOSSES.register("set")
class SetLoss(nn.Module):
    """Each sweet takes the cell that is nearest; all other cells are background."""

    def __init__(self, classes, background=0.1, box_weight=5.0):
        super().__init__()
        self.classes, self.box_weight = classes, box_weight
        self.register_buffer("weight", torch.ones(classes + 1))
        self.weight[-1] = background

    def forward(self, logits, boxes, labels, targets):
        valid = labels >= 0
        cost = torch.cdist(targets, boxes.detach(), p=1)
        nearest = cost.argmin(-1)
        classes = torch.full(logits.shape[:2], self.classes)
        wanted = torch.where(valid, labels, self.classes)
        classes = classes.scatter(1, nearest, wanted)
        loss_cls = F.cross_entropy(logits.transpose(1, 2), classes, self.weight)

        rows = torch.arange(len(boxes)).unsqueeze(1).expand_as(nearest)[valid]
        matched = boxes[rows, nearest[valid]]
        loss_box = F.l1_loss(matched, targets[valid])
        return {"cls": loss_cls, "box": self.box_weight * loss_box}

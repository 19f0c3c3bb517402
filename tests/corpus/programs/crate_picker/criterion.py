"""What a frame's cells should say: an object or not, and where it is."""

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.functional import smooth_l1_loss as smooth_l1


class DetectionLoss(nn.Module):
    """Each cell is responsible for the box whose centre lies in it."""

    def __init__(self, cells):
        super().__init__()
        self.cells = cells

    def assign(self, targets):
        wanted = torch.zeros(len(targets), self.cells, self.cells, 4)
        positive = torch.zeros(len(targets), self.cells, self.cells, dtype=torch.bool)
        for number, boxes in enumerate(targets):
            columns, rows = (boxes[:, :2] * self.cells).long().unbind(1)
            wanted[number, rows, columns] = boxes
            positive[number, rows, columns] = True
        return wanted, positive

    def objectness(self, logits, positive):
        weight = torch.where(positive, 3.0, 1.0)
        return {"object": binary_cross_entropy_with_logits(logits, positive.float(), weight)}

    def localization(self, boxes, wanted, positive):
        if not positive.any():
            return {}
        error = smooth_l1(boxes[positive], wanted[positive], reduction="none")
        return {"box": 0.5 * error.sum() / positive.sum().clamp(min=1)}

    def forward(self, logits, boxes, targets):
        wanted, positive = self.assign(targets)
        terms = [self.objectness(logits, positive), self.localization(boxes, wanted, positive)]
        return torch.stack([value for term in terms for value in term.values()]).sum()

import torch
import torch.nn.functional as F
from torch import nn


class FrozenBatchNorm2d(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", torch.ones(num_features))
        self.register_buffer("bias", torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x):
        scale = (self.weight * (self.running_var + self.eps).rsqrt()).view(1, -1, 1, 1)
        return x * scale + (self.bias.view(1, -1, 1, 1) - self.running_mean.view(1, -1, 1, 1))


class CenterDetector(nn.Module):
    """Predicts for each cell of a grid whether a box's centre is in it, and its corners."""

    def __init__(self, width=8, grid=5, trainable_layers=1):
        super().__init__()
        layers = []
        for i, cin in enumerate((3, width, width)):
            layers += [nn.Conv2d(cin, width, 3, 2, 1), FrozenBatchNorm2d(width), nn.ReLU()]
            layers[-3].requires_grad_(i >= 3 - trainable_layers)
        self.backbone = nn.Sequential(*layers)
        self.grid = grid
        self.score, self.box = nn.Conv2d(width, 1, 1), nn.Conv2d(width, 4, 1)

    def forward(self, images, boxes=None, valid=None):
        features = self.backbone(images)
        score, box = self.score(features).flatten(1), self.box(features).flatten(2).sigmoid()
        if not self.training:
            return score.sigmoid(), box.transpose(1, 2)
        assert boxes is not None, "targets should not be none when in training mode"
        cell = ((boxes[..., :2] + boxes[..., 2:]) / 2 * self.grid).long().clamp(0, self.grid - 1)
        index = cell[..., 1] * self.grid + cell[..., 0]
        objectness = torch.zeros_like(score).scatter_reduce(1, index, valid, "amax")
        picked = box.transpose(1, 2).gather(1, index.unsqueeze(-1).expand(-1, -1, 4))
        box_loss = (F.smooth_l1_loss(picked, boxes, reduction="none").sum(-1) * valid).sum()
        return {
            "loss_objectness": F.binary_cross_entropy_with_logits(score, objectness),
            "loss_box_reg": box_loss / valid.sum().clamp(min=1),
        }

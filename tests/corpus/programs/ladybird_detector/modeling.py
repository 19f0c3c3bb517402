from itertools import pairwise

import torch
import torch.nn.functional as F
from losses import BoxRegressionLoss, sigmoid_focal_loss
from torch import nn


def conv_gn(cin, cout, stride):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.GroupNorm(4, cout), nn.ReLU()
    )


class Backbone(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        widths = (3, *cfg.channels)
        self.stages = nn.ModuleList(conv_gn(cin, cout, 2) for cin, cout in pairwise(widths))
        self.out_channels = widths[-1]
        self.freeze(cfg.freeze_at)

    def freeze(self, freeze_at=0):
        """Freeze the first `freeze_at` stages, and no others."""
        for idx, stage in enumerate(self.stages, start=1):
            for p in stage.parameters():
                p.requires_grad_(idx > freeze_at)

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


def grid_anchors(height, width, stride, size):
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    centers = (torch.stack([x, y], -1).reshape(-1, 2) + 0.5) * stride
    return torch.cat([centers - size / 2, centers + size / 2], dim=-1)


def pairwise_iou(a, b):
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)

    def area(boxes):
        return (boxes[:, 2:] - boxes[:, :2]).prod(-1)

    return inter / (area(a)[:, None] + area(b)[None] - inter)


def get_deltas(anchors, boxes):
    aw, bw = anchors[..., 2:] - anchors[..., :2], boxes[..., 2:] - boxes[..., :2]
    ac, bc = (anchors[..., 2:] + anchors[..., :2]) / 2, (boxes[..., 2:] + boxes[..., :2]) / 2
    return torch.cat([(bc - ac) / aw, (bw / aw).log()], dim=-1)


class OneStageDetector(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        heads = cfg.heads
        self.backbone = Backbone(cfg.backbone)
        channels = self.backbone.out_channels
        self.cls_score = nn.Conv2d(channels, heads.num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(channels, 4, 3, padding=1)
        nn.init.constant_(self.cls_score.bias, -2.0)
        stride = 2 ** len(cfg.backbone.channels)
        cells = cfg.image_size // stride
        self.register_buffer("anchors", grid_anchors(cells, cells, stride, heads.anchor_size))
        self.num_classes, self.box_weight = heads.num_classes, heads.box_weight
        self.iou_threshold = cfg.dynamic.initial_iou
        self.box_loss = BoxRegressionLoss(heads.smooth_l1_beta)

    def forward(self, batch):
        features = self.backbone(batch["images"])
        logits = self.cls_score(features).flatten(2).transpose(1, 2)
        deltas = self.bbox_pred(features).flatten(2).transpose(1, 2)

        with torch.no_grad():
            iou = pairwise_iou(batch["boxes"], self.anchors)
            best = iou == iou.amax(dim=1, keepdim=True)
            positive = ((iou >= self.iou_threshold) | best).float()
            target = get_deltas(self.anchors[None], batch["boxes"][:, None])
            labels = F.one_hot(batch["species"], self.num_classes)[:, None] * positive[..., None]
            error = (deltas - target).abs().mean(-1)

        num_pos = positive.sum().clamp(min=1)
        losses = {
            "loss_cls": sigmoid_focal_loss(logits, labels) / num_pos,
            "loss_box": self.box_weight * self.box_loss(deltas, target, positive) / num_pos,
        }
        return losses, {"iou": iou, "error": error.masked_fill(positive == 0, float("inf"))}

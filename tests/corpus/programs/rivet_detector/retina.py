"""A dense detector with a single level of anchors, after RetinaNet."""

import torch
import torch.nn.functional as F
from structures import pairwise_iou
from torch import nn

STRIDE, ANCHOR = 4, 6.0


def anchors(size):
    centers = torch.arange(STRIDE / 2, size, STRIDE)
    y, x = torch.meshgrid(centers, centers, indexing="ij")
    middle = torch.stack([x, y], dim=-1).reshape(-1, 2)
    return torch.cat([middle - ANCHOR / 2, middle + ANCHOR / 2], dim=1)


def encode(reference, boxes):
    center = (boxes[:, :2] + boxes[:, 2:]) / 2 - (reference[:, :2] + reference[:, 2:]) / 2
    extent = (boxes[:, 2:] - boxes[:, :2]).clamp(min=1e-3) / ANCHOR
    return torch.cat([center / ANCHOR, extent.log()], dim=1)


class RetinaLite(nn.Module):
    def __init__(self, size, num_classes=2, width=16):
        super().__init__()
        self.num_classes = num_classes
        self.backbone = nn.Sequential(
            nn.Conv2d(2, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.cls_score = nn.Conv2d(width, num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(width, 4, 3, padding=1)
        nn.init.constant_(self.cls_score.bias, -2.0)
        self.register_buffer("anchors", anchors(size))
        self.register_buffer("loss_normalizer", torch.tensor(10.0))

    def forward(self, images):
        features = self.backbone(images)
        scores = self.cls_score(features).flatten(2).transpose(1, 2)
        return scores, self.bbox_pred(features).flatten(2).transpose(1, 2)


def label_anchors(reference, boxes, classes, num_classes):
    iou, matched = pairwise_iou(reference, boxes).max(dim=1)
    foreground = (iou >= 0.3) & (classes[matched] >= 0)
    labels = F.one_hot(classes[matched].clamp(min=0), num_classes) * foreground[:, None]
    return labels.float(), foreground, encode(reference, boxes[matched])


def losses(model, images, gt_boxes, gt_classes):
    scores, deltas = model(images)
    loss_cls = loss_box = positives = 0.0
    for score, delta, boxes, classes in zip(scores, deltas, gt_boxes, gt_classes, strict=True):
        labels, foreground, target = label_anchors(model.anchors, boxes, classes, model.num_classes)
        p = score.sigmoid()
        ce = F.binary_cross_entropy_with_logits(score, labels, reduction="none")
        p_t = p * labels + (1 - p) * (1 - labels)
        loss_cls = loss_cls + (ce * (1 - p_t) ** 2).sum()
        per_anchor = F.smooth_l1_loss(delta, target, reduction="none").sum(-1)
        loss_box = loss_box + (per_anchor * foreground).sum()
        positives = positives + foreground.sum()
    with torch.no_grad():
        model.loss_normalizer.mul_(0.9).add_(0.1 * positives.clamp(min=1))
    return {
        "loss_cls": loss_cls / model.loss_normalizer,
        "loss_box_reg": loss_box / model.loss_normalizer,
    }

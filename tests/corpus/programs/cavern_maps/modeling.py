import torch
import torch.nn.functional as F
from config import Registry
from events import get_event_storage
from torch import nn

META_ARCH = Registry("META_ARCH")
HEADS = Registry("HEADS")


@HEADS.register()
class EdgeHead(nn.Module):
    """Per-pixel classes; pixels at the edge of a cave count more."""

    def __init__(self, cfg):
        super().__init__()
        self.edge_weight = cfg.EDGE.FROM
        self.predictor = nn.Conv2d(2 * cfg.MODEL.WIDTH, cfg.MODEL.CLASSES, 1)

    def forward(self, features, size):
        return F.interpolate(self.predictor(features), size=size, mode="nearest")

    def losses(self, logits, target):
        padded = F.pad(target[:, None].float(), (1, 1, 1, 1), mode="replicate")
        edge = F.max_pool2d(padded, 3, 1) + F.max_pool2d(-padded, 3, 1) > 0
        weight = 1 + (self.edge_weight - 1) * edge.squeeze(1)
        per_pixel = F.cross_entropy(logits, target, reduction="none")
        storage = get_event_storage()
        storage.put_scalar("seg/accuracy", (logits.argmax(1) == target).float().mean())
        return {"loss_seg": (weight * per_pixel).sum() / weight.sum()}


@META_ARCH.register()
class CavernSegmenter(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        w = cfg.MODEL.WIDTH
        self.backbone = nn.Sequential(
            nn.Conv2d(1, w, 3, 2, 1), nn.ReLU(), nn.Conv2d(w, 2 * w, 3, 1, 1), nn.ReLU()
        )
        self.sem_seg_head = HEADS.get(cfg.MODEL.HEAD)(cfg)
        self.register_buffer("pixel_mean", torch.tensor(0.4))

    def forward(self, batch):
        images = batch["image"] - self.pixel_mean
        logits = self.sem_seg_head(self.backbone(images), images.shape[-2:])
        if self.training:
            return self.sem_seg_head.losses(logits, batch["sem_seg"])
        return logits.argmax(1)


def build_model(cfg):
    return META_ARCH.get(cfg.MODEL.META_ARCH)(cfg)

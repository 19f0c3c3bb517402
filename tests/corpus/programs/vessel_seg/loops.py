import time

import torch
from torch.nn import functional as F


def dice_loss(logits, target, eps=1.0):
    p = logits.sigmoid()
    dims = (-2, -1)
    inter = (p * target).sum(dims)
    return 1 - ((2 * inter + eps) / (p.sum(dims) + target.sum(dims) + eps)).mean()


def criterion(outputs, target, aux_weight):
    losses = {}
    for name, logits in outputs.items():
        wanted = target
        if logits.shape != target.shape:
            wanted = F.max_pool2d(target, target.shape[-1] // logits.shape[-1])
        bce = F.binary_cross_entropy_with_logits(logits, wanted)
        losses[name] = bce + dice_loss(logits, wanted)
    if aux_weight > 0:
        return losses["out"] + aux_weight * losses["aux"]
    return losses["out"]


def train_one_epoch(model, optimizer, lr_scheduler, data_loader, epoch, aux_weight):
    model.train()
    start, seen, total = time.time(), 0, 0.0
    for image, target in data_loader:
        output = model(image)
        loss = criterion(output, target, aux_weight)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        lr_scheduler.step()
        total += loss.item() * len(image)
        seen += len(image)
    took = time.time() - start
    print(f"Epoch [{epoch}] loss {total / seen:.4f} aux {aux_weight:.2f} {seen / took:.0f} img/s")


@torch.inference_mode()
def evaluate(model, data_loader):
    model.eval()
    inter = union = 0.0
    for image, target in data_loader:
        pred = model(image)["out"] > 0
        inter += (pred & target.bool()).sum().item()
        union += (pred | target.bool()).sum().item()
    return inter / max(union, 1.0)


def set_trainable(module, flag):
    for p in module.parameters():
        p.requires_grad_(flag)

#!/usr/bin/env python3
"""Training of a small mixer on sheets of a herbarium of seaweeds."""

import argparse
import copy
import logging
from collections import OrderedDict

import torch
from layers import Mixup
from mixer import create_model
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

_logger = logging.getLogger("train")

parser = argparse.ArgumentParser(description="PyTorch ImageNet-like Training")
parser.add_argument("--model", default="mixer_nano")
parser.add_argument("-b", "--batch-size", type=int, default=8)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--warmup-epochs", type=int, default=1)
parser.add_argument("--drop-path", type=float, default=0.1)
parser.add_argument("--mixup", type=float, default=0.4)
parser.add_argument("--mixup-off-epoch", type=int, default=2)
parser.add_argument("--model-ema-decay", type=float, default=0.8)
parser.add_argument("--torchcompile", default="aot_eager")
parser.add_argument("--log-interval", type=int, default=3)
parser.add_argument("--seed", type=int, default=42)


def sheets(count, seed):
    g = torch.Generator().manual_seed(seed)
    target = torch.randint(0, 6, (count,), generator=g)
    pictures = torch.randn(count, 3, 16, 16, generator=g)
    pictures[torch.arange(count), target % 3] += target[:, None, None] / 3
    return TensorDataset(pictures, target)


class ModelEma(nn.Module):
    def __init__(self, model, decay):
        super().__init__()
        self.module, self.decay = copy.deepcopy(model).eval(), decay

    @torch.no_grad()
    def update(self, model, step):
        decay = min(self.decay, (1 + step) / (10 + step))
        pairs = zip(self.module.parameters(), model.parameters(), strict=True)
        for ema_v, model_v in pairs:
            ema_v.lerp_(model_v, 1 - decay)


def train_one_epoch(epoch, model, task, loader, loss_fn, args, model_ema, mixup_fn):
    if epoch >= args.mixup_off_epoch:
        mixup_fn.mixup_enabled = False
    model.train()
    total = 0.0
    for batch_idx, (x, target) in enumerate(loader):
        x, target = mixup_fn(x, target)
        loss = loss_fn(task(x), target)
        args.optimizer.zero_grad()
        loss.backward()
        args.optimizer.step()
        model_ema.update(model, epoch * len(loader) + batch_idx)
        total += loss.item()
        if batch_idx % args.log_interval == 0:
            _logger.info(f"Train: {epoch} [{batch_idx}/{len(loader)}] Loss: {loss.item():.4f}")
    return OrderedDict([("loss", total / len(loader))])


def validate(model, task, loader):
    model.eval()
    top1 = seen = 0
    with torch.inference_mode():
        for x, target in loader:
            top1 += (task(x).argmax(-1) == target).sum().item()
            seen += len(x)
    return OrderedDict([("top1", 100.0 * top1 / seen)])


def main():
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    model = create_model(args.model, drop_path_rate=args.drop_path)
    model_ema = ModelEma(model, args.model_ema_decay)
    task = torch.compile(model, backend=args.torchcompile)
    args.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.05)
    loader_train = DataLoader(sheets(44, 1), args.batch_size, shuffle=True, drop_last=True)
    loader_eval = DataLoader(sheets(24, 2), args.batch_size)
    mixup_fn = Mixup(args.mixup, num_classes=6)
    for epoch in range(args.epochs):
        for group in args.optimizer.param_groups:
            group["lr"] = args.lr * min(1.0, (epoch + 1) / (args.warmup_epochs + 1))
        train_metrics = train_one_epoch(
            epoch, model, task, loader_train, nn.CrossEntropyLoss(), args, model_ema, mixup_fn
        )
        eval_metrics = validate(model, task, loader_eval)
        ema_metrics = validate(model_ema.module, model_ema.module, loader_eval)
        _logger.info(f"{epoch}: {dict(train_metrics)} {dict(eval_metrics)} {dict(ema_metrics)}")


if __name__ == "__main__":
    main()

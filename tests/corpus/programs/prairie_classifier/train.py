#!/usr/bin/env python3
"""Training script for small image models, with mixup, stochastic depth and a model EMA."""

import argparse
import logging
import math
from collections import OrderedDict
from copy import deepcopy

import torch
from convnet import ConvNeXtLite
from grasses import FastCollateMixup, Loader

_logger = logging.getLogger("train")

parser = argparse.ArgumentParser(description="PyTorch Training")
parser.add_argument("-b", "--batch-size", type=int, default=16)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=4e-3)
parser.add_argument("--warmup-epochs", type=int, default=1)
parser.add_argument("--drop-path", type=float, default=0.2)
parser.add_argument("--mixup-off-epoch", type=int, default=2)
parser.add_argument("--grad-accum-steps", type=int, default=2)
parser.add_argument("--model-ema-decay", type=float, default=0.9)
parser.add_argument("--log-interval", type=int, default=4)
parser.add_argument("--seed", type=int, default=42)


class AverageMeter:
    def __init__(self):
        self.sum = self.count = 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


@torch.no_grad()
def update_ema(ema, model, decay):
    for e, p in zip(ema.state_dict().values(), model.state_dict().values(), strict=True):
        e.lerp_(p, 1.0 - decay)


def lr_at(args, epoch):
    if epoch < args.warmup_epochs:
        return args.lr * (epoch + 1) / (args.warmup_epochs + 1)
    return 0.5 * args.lr * (1 + math.cos(math.pi * epoch / args.epochs))


def soft_target_cross_entropy(x, target):
    return torch.sum(-target * x.log_softmax(dim=-1), dim=-1).mean()


def train_one_epoch(epoch, model, ema, raw, loader, optimizer, mixup_fn, args):
    mixup_fn.mixup_enabled = epoch < args.mixup_off_epoch
    model.train()
    losses_m = AverageMeter()
    optimizer.zero_grad()
    for batch_idx, (input, target) in enumerate(loader):
        input, target = mixup_fn(input, target)
        loss = soft_target_cross_entropy(model(input), target)
        (loss / args.grad_accum_steps).backward()
        losses_m.update(loss.item(), input.size(0))
        if (batch_idx + 1) % args.grad_accum_steps:
            continue
        torch.nn.utils.clip_grad_norm_(raw.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        update_ema(ema, raw, args.model_ema_decay)
        if batch_idx % args.log_interval == 1:
            _logger.warning("Train: %d [%d] Loss: %.4f", epoch, batch_idx, losses_m.avg)
    return OrderedDict(loss=losses_m.avg)


def validate(model, loader):
    model.eval()
    top1_m = AverageMeter()
    with torch.no_grad():
        for input, target in loader:
            output = model(input)
            top1_m.update((output.argmax(-1) == target).float().mean().item(), input.size(0))
    return OrderedDict(top1=100 * top1_m.avg)


def main():
    args = parser.parse_args()
    logging.basicConfig(format="%(message)s")
    torch.manual_seed(args.seed)
    raw = ConvNeXtLite(drop_path_rate=args.drop_path)
    ema = deepcopy(raw).eval().requires_grad_(False)
    model = torch.compile(raw, backend="aot_eager")
    ema_model = torch.compile(ema, backend="aot_eager")
    optimizer = torch.optim.AdamW(raw.parameters(), lr=args.lr, weight_decay=0.02)
    mixup_fn = FastCollateMixup()
    loader_train = Loader(72, args.batch_size, True, seed=1)
    loader_eval = Loader(40, args.batch_size, False, seed=2)
    best = None
    for epoch in range(args.epochs):
        for group in optimizer.param_groups:
            group["lr"] = lr_at(args, epoch)
        metrics = train_one_epoch(epoch, model, ema, raw, loader_train, optimizer, mixup_fn, args)
        metrics.update(validate(ema_model, loader_eval))
        best = max(best or 0.0, metrics["top1"])
        _logger.warning("%s", {key: round(value, 3) for key, value in metrics.items()})
    print(f"*** Best metric: {best:.1f}")


if __name__ == "__main__":
    main()

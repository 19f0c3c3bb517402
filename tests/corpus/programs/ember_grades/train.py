#!/usr/bin/env python3
"""ImageNet-style training script, cut down to one kind of picture."""

import argparse
import logging

import torch
from gradlog import GradientHistogram
from models import create_model
from pellets import create_dataset, create_loader
from torch import nn

_logger = logging.getLogger("train")

parser = argparse.ArgumentParser(description="Training")
parser.add_argument("--model", default="mixer_tiny_4", type=str)
parser.add_argument("--img-size", default=16, type=int)
parser.add_argument("-b", "--batch-size", default=16, type=int)
parser.add_argument("--epochs", default=3, type=int)
parser.add_argument("--lr", default=3e-3, type=float)
parser.add_argument("--warmup-epochs", default=1, type=int)
parser.add_argument("--smoothing", default=0.1, type=float)
parser.add_argument("--log-interval", default=3, type=int)
parser.add_argument("--hist-interval", default=4, type=int)
parser.add_argument("--seed", default=42, type=int)
parser.add_argument("--torchcompile", default="aot_eager", type=str)


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


def forward_backward(model, loss_fn, input, target):
    loss = loss_fn(model(input), target)
    loss.backward()
    return loss.detach()


def train_one_epoch(
    epoch, model, forward_backward, loader, optimizer, loss_fn, args, scheduler, histogram
):
    losses_m = AverageMeter()
    model.train()
    num_updates = epoch * len(loader)
    for batch_idx, (input, target) in enumerate(loader):
        optimizer.zero_grad()
        histogram.before_backward(num_updates)
        loss = forward_backward(model, loss_fn, input, target)
        histogram.after_backward()
        optimizer.step()
        num_updates += 1
        scheduler.step()
        losses_m.update(loss.item(), input.size(0))
        if batch_idx % args.log_interval == 0:
            lr = optimizer.param_groups[0]["lr"]
            _logger.info(
                f"Train: {epoch} [{batch_idx}/{len(loader)}] {losses_m.avg:.3f} lr {lr:.1e}"
            )
    return losses_m.avg


def validate(model, loader):
    top1_m = AverageMeter()
    model.eval()
    with torch.no_grad():
        for input, target in loader:
            top1_m.update((model(input).argmax(1) == target).float().mean().item(), input.size(0))
    return top1_m.avg


def main():
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    torch._dynamo.config.compiled_autograd = True
    model = create_model(args.model, img_size=args.img_size)
    histogram = GradientHistogram(model, args.hist_interval)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.05)
    loader_train = create_loader(
        create_dataset(90, args.img_size, seed=0), args.batch_size, is_training=True
    )
    loader_eval = create_loader(create_dataset(32, args.img_size, seed=1), args.batch_size)
    scheduler = torch.optim.lr_scheduler.LinearLR(
        optimizer, 0.1, total_iters=args.warmup_epochs * len(loader_train)
    )
    step = torch.compile(forward_backward, backend=args.torchcompile)
    loss_fn = nn.CrossEntropyLoss(label_smoothing=args.smoothing)
    best = 0.0
    for epoch in range(args.epochs):
        train_one_epoch(
            epoch, model, step, loader_train, optimizer, loss_fn, args, scheduler, histogram
        )
        best = max(best, validate(model, loader_eval))
    _logger.info(f"*** Best metric: {best:.3f} {histogram.summary()}")


if __name__ == "__main__":
    main()

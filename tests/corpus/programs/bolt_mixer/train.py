#!/usr/bin/env python3
"""Training script, much reduced."""

import argparse
import logging

import torch
import torch.nn.functional as F
from bolts import BoltDataset, Mixup, create_loader
from mixer import create_model

_logger = logging.getLogger("train")
logging.basicConfig(level=logging.INFO, format="%(message)s")
parser = argparse.ArgumentParser(description="Bolts")
parser.add_argument("--model", default="mixer_bolt16", type=str)
parser.add_argument("--epochs", default=3, type=int)
parser.add_argument("-b", "--batch-size", default=12, type=int)
parser.add_argument("-vb", "--validation-batch-size", default=None, type=int)
parser.add_argument("--lr", default=2e-3, type=float)
parser.add_argument("--drop-path", default=0.2, type=float)
parser.add_argument("--mixup-off-epoch", default=2, type=int)
parser.add_argument("--seed", default=42, type=int)
parser.add_argument("--torchcompile", default="eager", type=str)


def soft_target_cross_entropy(x, target):
    return torch.sum(-target * F.log_softmax(x, dim=-1), dim=-1).mean()


def train_one_epoch(epoch, model, loader, optimizer, mixup_fn, args):
    if epoch >= args.mixup_off_epoch:
        mixup_fn.mixup_enabled = False
    model.train()
    losses = []
    for input, target in loader:
        input, target = mixup_fn(input, target)
        loss = soft_target_cross_entropy(model(input), target)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).mean().item()


@torch.no_grad()
def validate(model, loader):
    model.eval()
    correct = 0
    for input, target in loader:
        correct += model(input).argmax(-1).eq(target).sum()
    return 100.0 * correct.item() / len(loader.dataset)


def main():
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = create_model(args.model, num_classes=3)
    task = torch.compile(model, backend=args.torchcompile)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.05)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    mixup_fn = Mixup(seed=args.seed)
    loader_train = create_loader(BoltDataset(50, 0), args.batch_size, is_training=True)
    eval_batch_size = args.validation_batch_size or args.batch_size
    loader_eval = create_loader(BoltDataset(40, 1), eval_batch_size)
    for epoch in range(args.epochs):
        model.set_drop_path(args.drop_path * (epoch + 1) / args.epochs)
        loss = train_one_epoch(epoch, task, loader_train, optimizer, mixup_fn, args)
        top1 = validate(task, loader_eval)
        scheduler.step()
        _logger.info("epoch %d loss %.4f top1 %.1f", epoch, loss, top1)


if __name__ == "__main__":
    main()

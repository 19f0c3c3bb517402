#!/usr/bin/env python3
import argparse
import contextlib
import logging

import torch
from loader import HeatherPlots, create_loader
from torch import nn
from vit import VisionTransformer

_logger = logging.getLogger("train")
parser = argparse.ArgumentParser(description="Training of the heather plots")
group = parser.add_argument_group("Optimizer parameters")
group.add_argument("--lr", type=float, default=2e-3, metavar="LR")
group.add_argument("--clip-grad", type=float, default=1.0, metavar="NORM")
group = parser.add_argument_group("Schedule")
group.add_argument("--epochs", type=int, default=3)
group.add_argument("--batch-size", type=int, default=20)
group.add_argument("--checkpoint-from", type=int, default=2, metavar="EPOCH",
                   help="memory gets scarce once the metrics are kept")  # fmt: skip
group = parser.add_argument_group("Misc")
group.add_argument("--seed", type=int, default=42)
group.add_argument("--threads", type=int, default=1, help="of loading and of training")


def train_one_epoch(epoch, model, dataset, loss_fn, optimizer, args, amp_autocast):
    model.train()
    losses = []
    for _batch_idx, (image, target) in enumerate(create_loader(dataset, args.batch_size)):
        with amp_autocast():
            loss = loss_fn(model(image), target)
        optimizer.zero_grad()
        loss.backward()
        if args.clip_grad is not None:
            nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad)
        optimizer.step()
        losses.append(loss.item())
    _logger.info("Train: %d loss %.3f", epoch, sum(losses) / len(losses))


def validate(model, dataset, args):
    model.eval()
    torch.use_deterministic_algorithms(True)
    right = 0
    with torch.no_grad():
        for image, target in create_loader(dataset, args.batch_size):
            right += (model(image).argmax(-1) == target).sum().item()
    return 100 * right / len(dataset.target)


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    model = VisionTransformer(num_classes=4)
    _logger.info("%d parameters", sum(m.numel() for m in model.parameters()))
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    train_set, eval_set = HeatherPlots(), HeatherPlots(40, seed=1)
    for epoch in range(args.epochs):
        model.set_grad_checkpointing(epoch >= args.checkpoint_from)
        train_one_epoch(epoch, model, train_set, loss_fn, optimizer, args, contextlib.nullcontext)
        scheduler.step()
        _logger.info("Test: %d acc %.1f", epoch, validate(model, eval_set, args))


if __name__ == "__main__":
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
        main()

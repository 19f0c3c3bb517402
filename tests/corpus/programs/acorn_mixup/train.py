#!/usr/bin/env python3
import argparse
import logging
from collections import OrderedDict

import torch
import torch.nn as nn
from convnet import OakNet
from leaves import Acorns, create_loader
from mixup import Mixup

_logger = logging.getLogger("train")

parser = argparse.ArgumentParser(description="Oak training")
group = parser.add_argument_group("Dataset parameters")
group.add_argument("--num-classes", type=int, default=6)
group.add_argument("--img-size", type=int, default=16)
group.add_argument("-b", "--batch-size", type=int, default=16)
group.add_argument("-vb", "--validation-batch-size", type=int, default=20)
group = parser.add_argument_group("Optimizer and schedule parameters")
group.add_argument("--lr", type=float, default=0.02)
group.add_argument("--epochs", type=int, default=4)
group = parser.add_argument_group("Augmentation and regularization parameters")
group.add_argument("--drop", type=float, default=0.05)
group.add_argument("--mixup", type=float, default=0.4)
group.add_argument("--mixup-off-epoch", type=int, default=3)
group.add_argument("--smoothing", type=float, default=0.1)
parser.add_argument("--seed", type=int, default=42)
parser.add_argument("--torchcompile", nargs="?", default="aot_eager")


def make_task(model, loss_fn, backend):
    def task(input, target):
        output = model(input)
        return loss_fn(output, target), output.detach()

    return torch.compile(task, backend=backend)


def train_one_epoch(epoch, task, model, loader, optimizer, args, mixup_fn=None):
    if args.mixup_off_epoch and epoch >= args.mixup_off_epoch and mixup_fn is not None:
        mixup_fn.mixup_enabled = False
    model.train()
    losses = []
    for input, target in loader:
        if mixup_fn is not None:
            input, target = mixup_fn(input, target)
        loss, _ = task(input, target)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        losses.append(loss.detach())
    return OrderedDict(loss=torch.stack(losses).mean().item())


def validate(predict, model, loader):
    model.eval()
    correct = total = 0
    with torch.inference_mode():
        for input, target in loader:
            correct += (predict(input).argmax(1) == target).sum().item()
            total += len(target)
    return OrderedDict(top1=100.0 * correct / total)


def main():
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    model = OakNet(args.num_classes, drop=args.drop)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    dataset_train = Acorns(70, args.img_size, "train")
    dataset_eval = Acorns(50, args.img_size, "validation")
    loader_train = create_loader(dataset_train, args.batch_size, is_training=True)
    loader_eval = create_loader(dataset_eval, args.validation_batch_size, is_training=False)
    mixup_fn = None
    if args.mixup > 0:
        mixup_fn = Mixup(args.mixup, args.smoothing, args.num_classes, args.seed)
    task = make_task(model, nn.CrossEntropyLoss(), args.torchcompile)
    predict = torch.compile(model, backend=args.torchcompile)
    for epoch in range(args.epochs):
        metrics = train_one_epoch(epoch, task, model, loader_train, optimizer, args, mixup_fn)
        metrics.update(validate(predict, model, loader_eval))
        scheduler.step()
        _logger.info(" ".join(f"{name} {value:.3f}" for name, value in metrics.items()))


if __name__ == "__main__":
    main()

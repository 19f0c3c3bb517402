r"""Detection training, reduced.

To run::

    python train.py --epochs 2
"""

import argparse
import math
import sys
import time

import presets
import torch
import utils
from detector import CenterDetector


def get_args_parser():
    parser = argparse.ArgumentParser(description="Detection Training")
    parser.add_argument("-b", "--batch-size", default=6, type=int)
    parser.add_argument("--epochs", default=3, type=int)
    parser.add_argument("--lr", default=0.05, type=float)
    parser.add_argument("--lr-steps", default=[2], nargs="+", type=int)
    parser.add_argument("--print-freq", default=4, type=int)
    parser.add_argument("--backend", default="aot_eager")
    return parser


def get_transform(is_train):
    if is_train:
        flip = presets.RandomHorizontalFlip(0.5)
        return presets.Compose([presets.RandomShortestSize([32, 40, 48]), flip])
    return presets.Compose([])


def train_one_epoch(model, optimizer, data_loader, epoch, print_freq):
    model.train()
    metric_logger = utils.MetricLogger()
    lr_scheduler = None
    if epoch == 0:
        warmup_iters = min(1000, len(data_loader) - 1)
        lr_scheduler = utils.warmup_lr_scheduler(optimizer, warmup_iters, 1.0 / 1000)
    for images, boxes, valid in metric_logger.log_every(
        data_loader, print_freq, f"Epoch: [{epoch}]"
    ):
        loss_dict = model(images, boxes, valid)
        losses = sum(loss for loss in loss_dict.values())
        loss_value = losses.item()
        if not math.isfinite(loss_value):
            print(f"Loss is {loss_value}, stopping training")
            sys.exit(1)
        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
        if lr_scheduler is not None:
            lr_scheduler.step()
        metric_logger.update(loss=losses, **loss_dict, lr=optimizer.param_groups[0]["lr"])


@torch.inference_mode()
def evaluate(model, data_loader):
    model.eval()
    metric_logger = utils.MetricLogger()
    for images, boxes, valid in metric_logger.log_every(data_loader, 100, "Test:"):
        model_time = time.time()
        scores, found = model(images)
        model_time = time.time() - model_time
        best = found[torch.arange(len(found)), scores.argmax(1)].unsqueeze(1)
        gap = (best - boxes).abs().sum(-1).masked_fill(valid == 0, 9.0).amin(1)
        metric_logger.update(gap=gap.mean(), model_time=model_time)
    return metric_logger.meters["gap"].global_avg


def main(args):
    torch.manual_seed(10)
    train_set = presets.Hangars(44, get_transform(True))
    test_set = presets.Hangars(12, get_transform(False), seed=1)
    sampler = torch.utils.data.RandomSampler(train_set)
    batches = torch.utils.data.BatchSampler(sampler, args.batch_size, drop_last=True)
    data_loader = torch.utils.data.DataLoader(
        train_set, batch_sampler=batches, collate_fn=presets.collate
    )
    data_loader_test = torch.utils.data.DataLoader(
        test_set, batch_size=args.batch_size, collate_fn=presets.collate
    )

    model = CenterDetector()
    params = [p for p in model.parameters() if p.requires_grad]
    model = torch.compile(model, backend=args.backend)
    optimizer = torch.optim.SGD(params, lr=args.lr, momentum=0.9, weight_decay=1e-4)
    lr_scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=args.lr_steps)

    for epoch in range(args.epochs):
        train_one_epoch(model, optimizer, data_loader, epoch, args.print_freq)
        lr_scheduler.step()
        gap = evaluate(model, data_loader_test)
        print(f"Epoch {epoch}: gap {gap:.3f}")


if __name__ == "__main__":
    main(get_args_parser().parse_args())

"""Classification reference: python train.py --epochs 2."""

import argparse
import contextlib

import torch
import utils
from net import MobileNet
from presets import Barks, EvalPreset, TrainPreset
from torch import nn


def get_args_parser():
    parser = argparse.ArgumentParser(description="Bark classification training")
    parser.add_argument("-b", "--batch-size", default=16, type=int)
    parser.add_argument("--epochs", default=2, type=int)
    parser.add_argument("--lr", default=0.05, type=float)
    parser.add_argument("--lr-warmup-steps", default=4, type=int)
    parser.add_argument("--label-smoothing", default=0.1, type=float)
    parser.add_argument("--print-freq", default=3, type=int)
    parser.add_argument("--clip-grad-norm", default=2.0, type=float)
    return parser


def train_one_epoch(model, criterion, optimizer, warmup, loader, epoch, args):
    model.train()
    metric_logger = utils.MetricLogger()
    recorder = utils.GradientRecorder(model, ("classifier.weight", "features.0.0.weight"))
    for i, (image, target) in metric_logger.log_every(loader, args.print_freq, f"Epoch: [{epoch}]"):
        watched = recorder if i % args.print_freq == 0 else contextlib.nullcontext()
        output = model(image)
        loss = criterion(output, target)
        optimizer.zero_grad()
        with watched:
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad_norm)
        optimizer.step()
        warmup.step()
        acc1, acc3 = utils.accuracy(output, target, topk=(1, 3))
        metric_logger.update(loss=loss, acc1=acc1, acc3=acc3, **recorder.norms)


def evaluate(model, criterion, loader):
    model.eval()
    metric_logger = utils.MetricLogger()
    with torch.inference_mode():
        for _, (image, target) in metric_logger.log_every(loader, 100, "Test:"):
            output = model(image)
            metric_logger.update(loss=criterion(output, target))
    return metric_logger.meters["loss"].median


def main(args):
    torch.manual_seed(5)
    dataset = Barks(71, TrainPreset(), seed=0)
    dataset_test = Barks(20, EvalPreset(), seed=1)
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=args.batch_size, sampler=torch.utils.data.RandomSampler(dataset)
    )
    loader_test = torch.utils.data.DataLoader(dataset_test, batch_size=args.batch_size)
    model = MobileNet()
    criterion = nn.CrossEntropyLoss(label_smoothing=args.label_smoothing)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=args.lr_warmup_steps)
    for epoch in range(args.epochs):
        train_one_epoch(model, criterion, optimizer, warmup, loader, epoch, args)
        print(f"Test loss {evaluate(model, criterion, loader_test):.4f}")


if __name__ == "__main__":
    main(get_args_parser().parse_args())

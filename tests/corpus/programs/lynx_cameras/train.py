"""Fine-tunes a small network on pictures of camera traps."""

import argparse

import torch
import utils
from presets import CameraTraps, get_loaders
from torch import nn
from train_utils import evaluate, train_one_epoch


def conv(cin, cout, stride):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True)
    )


class TrapNet(nn.Module):
    def __init__(self, num_classes, width=8, dropout=0.1):
        super().__init__()
        self.backbone = nn.Sequential(
            conv(3, width, 2), conv(width, 2 * width, 2), conv(2 * width, 2 * width, 1)
        )
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(2 * width, num_classes))

    def forward(self, x):
        x = self.backbone(x)
        return self.classifier(x.mean((2, 3)))


def main(args):
    torch.manual_seed(args.seed)
    train_loader, val_loader = get_loaders(args)
    model = TrapNet(len(CameraTraps.classes))
    criterion = nn.CrossEntropyLoss(label_smoothing=args.label_smoothing)
    groups = utils.set_weight_decay(model, args.weight_decay, 0.0)
    optimizer = torch.optim.SGD(groups, lr=args.lr, momentum=args.momentum)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=args.lr_warmup_epochs)
    best = 0.0
    for epoch in range(args.epochs):
        utils.set_trainable(model.backbone, epoch >= args.freeze_epochs)
        train_one_epoch(model, criterion, optimizer, train_loader, epoch, args)
        warmup.step()
        best = max(best, evaluate(model, criterion, val_loader))
    print(f"best acc1 {best:.1f}")


def get_args_parser():
    parser = argparse.ArgumentParser(description="Camera traps", add_help=True)
    parser.add_argument("-b", "--batch-size", default=16, type=int)
    parser.add_argument("--epochs", default=4, type=int)
    parser.add_argument("--freeze-epochs", default=1, type=int)
    parser.add_argument("-j", "--workers", default=0, type=int)
    parser.add_argument("--lr", default=0.05, type=float)
    parser.add_argument("--lr-warmup-epochs", default=2, type=int)
    parser.add_argument("--momentum", default=0.9, type=float)
    parser.add_argument("--weight-decay", default=1e-4, type=float)
    parser.add_argument("--label-smoothing", default=0.1, type=float)
    parser.add_argument("--clip-grad-norm", default=1.0, type=float)
    parser.add_argument("--seed", default=0, type=int)
    return parser


if __name__ == "__main__":
    main(get_args_parser().parse_args())

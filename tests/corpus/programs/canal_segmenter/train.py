import argparse
import time

import torch
import torch.utils.data
from canals import Canals, collate_fn
from fcn import SimpleSegmentationModel
from presets import get_transform
from torch import nn


class ConfusionMatrix:
    def __init__(self, num_classes):
        self.num_classes = num_classes
        self.mat = torch.zeros((num_classes, num_classes), dtype=torch.int64)

    def update(self, a, b):
        n = self.num_classes
        k = (a >= 0) & (a < n)
        inds = n * a[k] + b[k]
        self.mat += torch.bincount(inds, minlength=n**2).reshape(n, n)

    def compute(self):
        h = self.mat.float()
        return torch.diag(h) / (h.sum(1) + h.sum(0) - torch.diag(h)).clamp(min=1)


def criterion(inputs, target):
    losses = {}
    for name, x in inputs.items():
        losses[name] = nn.functional.cross_entropy(x, target, ignore_index=255)
    if len(losses) == 1:
        return losses["out"]
    return losses["out"] + 0.5 * losses["aux"]


def set_backbone_trainable(model, trainable):
    for parameter in model.backbone.parameters():
        parameter.requires_grad_(trainable)


def train_one_epoch(model, criterion, optimizer, data_loader, lr_scheduler, epoch, print_freq):
    model.train()
    header = f"Epoch: [{epoch}]"
    for i, (image, target) in enumerate(data_loader):
        output = model(image)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lr_scheduler.step()
        if i % print_freq == 0:
            print(f"{header} [{i}] loss {loss.item():.4f} lr {optimizer.param_groups[0]['lr']:.4f}")


def evaluate(model, data_loader, num_classes):
    model.eval()
    confmat = ConfusionMatrix(num_classes)
    with torch.inference_mode():
        for image, target in data_loader:
            output = model(image)["out"]
            confmat.update(target.flatten(), output.argmax(1).flatten())
    return confmat


def main(args):
    torch.manual_seed(args.seed)
    dataset = Canals("train", get_transform(True))
    dataset_test = Canals("val", get_transform(False))
    data_loader = torch.utils.data.DataLoader(
        dataset, batch_size=args.batch_size, shuffle=True, collate_fn=collate_fn, drop_last=True
    )
    data_loader_test = torch.utils.data.DataLoader(
        dataset_test, batch_size=1, collate_fn=collate_fn
    )

    model_without_compile = SimpleSegmentationModel(aux_loss=args.aux_loss)
    params_to_optimize = [
        {"params": model_without_compile.backbone.parameters()},
        {"params": model_without_compile.classifier.parameters()},
        {"params": model_without_compile.aux_classifier.parameters(), "lr": args.lr * 10},
    ]
    optimizer = torch.optim.SGD(params_to_optimize, lr=args.lr, momentum=0.9)
    iters = len(data_loader) * args.epochs
    lr_scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=iters, power=0.9)
    model = torch.compile(model_without_compile, backend="aot_eager")

    start_time = time.time()
    for epoch in range(args.epochs):
        set_backbone_trainable(model_without_compile, epoch >= args.frozen_epochs)
        train_one_epoch(
            model, criterion, optimizer, data_loader, lr_scheduler, epoch, args.print_freq
        )
        confmat = evaluate(model, data_loader_test, num_classes=3)
        print("IoU", [f"{value:.3f}" for value in confmat.compute().tolist()])
    assert time.time() - start_time < 600


def get_args_parser(add_help=True):
    parser = argparse.ArgumentParser(description="Segmentation Training", add_help=add_help)
    parser.add_argument("--aux-loss", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--batch-size", default=6, type=int)
    parser.add_argument("--epochs", default=3, type=int)
    parser.add_argument("--frozen-epochs", default=1, type=int)
    parser.add_argument("--lr", default=0.02, type=float)
    parser.add_argument("--print-freq", default=2, type=int)
    parser.add_argument("--seed", default=0, type=int)
    return parser


if __name__ == "__main__":
    main(get_args_parser().parse_args())

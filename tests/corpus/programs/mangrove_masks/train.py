"""Semantic segmentation of mangroves, after the reference script."""

import argparse

import presets
import torch
from coast import CoastTiles, collate_fn
from fcn import FCN
from torch import nn


def criterion(inputs, target):
    losses = {}
    for name, x in inputs.items():
        losses[name] = nn.functional.cross_entropy(x, target, ignore_index=255)
    if len(losses) == 1:
        return losses["out"]
    return losses["out"] + 0.5 * losses["aux"]


def evaluate(model, data_loader, num_classes):
    model.eval()
    mat = torch.zeros(num_classes, num_classes, dtype=torch.int64)
    with torch.inference_mode():
        for image, target in data_loader:
            output = model(image)["out"].argmax(1).flatten()
            target = target.flatten()
            k = target < num_classes
            inds = num_classes * target[k] + output[k]
            mat += torch.bincount(inds, minlength=num_classes**2).view_as(mat)
    iu = mat.diag() / (mat.sum(1) + mat.sum(0) - mat.diag()).clamp_min(1)
    return iu.mean().item()


def freeze_bn(module):
    if isinstance(module, nn.BatchNorm2d):
        module.eval()


def train_one_epoch(model, optimizer, data_loader, lr_scheduler, epoch, args):
    model.train()
    if epoch >= args.freeze_bn_epoch:
        model.apply(freeze_bn)
    header = f"Epoch: [{epoch}]"
    for i, (image, target) in enumerate(data_loader):
        output = model(image)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lr_scheduler.step()
        if i % args.print_freq == 0:
            print(header, f"loss: {loss.item():.3f}", f"lr: {optimizer.param_groups[0]['lr']:.4f}")


def main(args):
    torch.manual_seed(args.seed)
    dataset = CoastTiles(26, 40, presets.SegmentationPresetTrain(crop_size=args.crop))
    dataset_test = CoastTiles(8, 32, presets.Normalize((0.4, 0.5, 0.3), (0.2, 0.2, 0.2)), seed=1)
    train_sampler = torch.utils.data.RandomSampler(dataset)
    data_loader = torch.utils.data.DataLoader(
        dataset, batch_size=args.batch_size, sampler=train_sampler, collate_fn=collate_fn
    )
    data_loader_test = torch.utils.data.DataLoader(dataset_test, batch_size=4)

    model = FCN(num_classes=2 + 1, aux_loss=args.aux_loss)
    params_to_optimize = [
        {"params": [*model.stem.parameters(), *model.layer3.parameters()]},
        {"params": [*model.layer4.parameters(), *model.classifier.parameters()]},
    ]
    if args.aux_loss:
        params_to_optimize.append({"params": model.aux_classifier.parameters(), "lr": args.lr * 10})
    optimizer = torch.optim.SGD(params_to_optimize, lr=args.lr, momentum=0.9, weight_decay=1e-4)
    iters = len(data_loader) * args.epochs
    lr_scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=iters, power=0.9)
    for epoch in range(args.epochs):
        train_one_epoch(model, optimizer, data_loader, lr_scheduler, epoch, args)
        print(f"mean IoU: {100 * evaluate(model, data_loader_test, 3):.1f}")


def get_args_parser():
    parser = argparse.ArgumentParser(description="Segmentation Training", add_help=True)
    parser.add_argument("--aux-loss", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("-b", "--batch-size", default=8, type=int)
    parser.add_argument("--epochs", default=4, type=int)
    parser.add_argument("--freeze-bn-epoch", default=2, type=int)
    parser.add_argument("--crop", default=32, type=int)
    parser.add_argument("--lr", default=0.02, type=float)
    parser.add_argument("--print-freq", default=2, type=int)
    parser.add_argument("--seed", default=4, type=int)
    return parser


if __name__ == "__main__":
    main(get_args_parser().parse_args())

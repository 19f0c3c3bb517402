import argparse
import random

import presets
import torch
import utils
from resnet import ResNet
from torch import nn


def train_one_epoch(
    model, criterion, optimizer, data_loader, data_loader_test, epoch, args, model_ema, scheduler
):
    model.train()
    metric_logger = utils.MetricLogger()
    header = f"Epoch: [{epoch}]"
    for i, (image, target) in enumerate(metric_logger.log_every(data_loader, 4, header)):
        output = model(image)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        if args.clip_grad_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad_norm)
        optimizer.step()
        scheduler.step()
        if i % args.model_ema_steps == 0:
            model_ema.update_parameters(model)
            if epoch < args.lr_warmup_epochs:
                # Reset ema buffer to keep copying weights during warmup period
                model_ema.n_averaged.fill_(0)
        metric_logger.update(len(image), loss=loss, acc1=utils.accuracy(output, target))
        if args.eval_steps and (i + 1) % args.eval_steps == 0:
            evaluate(model, criterion, data_loader_test, log_suffix=f"step {i + 1}")


def evaluate(model, criterion, data_loader, log_suffix=""):
    model.eval()
    metric_logger = utils.MetricLogger()
    with torch.inference_mode():
        for image, target in data_loader:
            output = model(image)
            loss = criterion(output, target)
            metric_logger.update(len(image), loss=loss, acc1=utils.accuracy(output, target))
    print(f"Test: {log_suffix} {metric_logger}")
    return metric_logger.meters["acc1"].global_avg


def main(args):
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    crop = args.train_crop_size
    dataset = presets.Peonies(72, presets.ClassificationPresetTrain(crop), seed=0)
    dataset_test = presets.Peonies(30, presets.ClassificationPresetEval(crop), seed=1)
    data_loader = torch.utils.data.DataLoader(
        dataset, batch_size=args.batch_size, shuffle=True, drop_last=True
    )
    data_loader_test = torch.utils.data.DataLoader(dataset_test, batch_size=args.batch_size)

    model = ResNet(num_classes=len(dataset.classes), stochastic_depth=args.stochastic_depth)
    criterion = nn.CrossEntropyLoss(label_smoothing=args.label_smoothing)
    parameters = utils.set_weight_decay(model, args.weight_decay, args.norm_weight_decay)
    optimizer = torch.optim.SGD(parameters, lr=args.lr, momentum=0.9, nesterov=True)
    steps = len(data_loader)
    warmup = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=0.1, total_iters=args.lr_warmup_epochs * steps
    )
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs * steps)
    scheduler = torch.optim.lr_scheduler.SequentialLR(
        optimizer, [warmup, cosine], milestones=[args.lr_warmup_epochs * steps]
    )
    model_ema = utils.ExponentialMovingAverage(model, decay=1.0 - args.model_ema_decay)
    for epoch in range(args.epochs):
        train_one_epoch(
            model, criterion, optimizer, data_loader, data_loader_test, epoch, args,
            model_ema, scheduler,
        )  # fmt: skip
        evaluate(model, criterion, data_loader_test)
        evaluate(model_ema, criterion, data_loader_test, log_suffix="EMA")


def get_args_parser():
    parser = argparse.ArgumentParser(description="Classification of peonies")
    parser.add_argument("-b", "--batch-size", default=8, type=int)
    parser.add_argument("--epochs", default=2, type=int)
    parser.add_argument("--lr", default=0.05, type=float)
    parser.add_argument("--lr-warmup-epochs", default=1, type=int)
    parser.add_argument("--weight-decay", default=1e-4, type=float)
    parser.add_argument("--norm-weight-decay", default=0.0, type=float)
    parser.add_argument("--label-smoothing", default=0.1, type=float)
    parser.add_argument("--stochastic-depth", default=0.5, type=float)
    parser.add_argument("--clip-grad-norm", default=1.0, type=float)
    parser.add_argument("--train-crop-size", default=16, type=int)
    parser.add_argument("--model-ema-steps", default=2, type=int)
    parser.add_argument("--model-ema-decay", default=0.1, type=float)
    parser.add_argument("--eval-steps", default=5, type=int, help="also evaluate so often")
    parser.add_argument("--seed", default=3, type=int)
    return parser


if __name__ == "__main__":
    main(get_args_parser().parse_args())

import argparse

import presets
import torch
import torch.utils.data
import utils
from torch import nn


def conv_bn(inp, out, stride):
    return nn.Sequential(
        nn.Conv2d(inp, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.Hardswish()
    )


class SmallNet(nn.Module):
    def __init__(self, num_classes=5, width=8):
        super().__init__()
        self.stem = conv_bn(3, width, 2)
        self.features = nn.Sequential(conv_bn(width, 2 * width, 2), conv_bn(2 * width, width, 1))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(0.1), nn.Linear(width, num_classes))

    def forward(self, x):
        x = self.avgpool(self.features(self.stem(x)))
        return self.classifier(torch.flatten(x, 1))


def train_one_epoch(model, criterion, optimizer, data_loader, epoch, args, model_ema):
    model.train()
    metric_logger = utils.MetricLogger()
    header = f"Epoch: [{epoch}]"
    for i, (image, target) in enumerate(
        metric_logger.log_every(data_loader, args.print_freq, header)
    ):
        output = model(image)
        loss = criterion(output, target)

        optimizer.zero_grad()
        loss.backward()
        if args.clip_grad_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad_norm)
        optimizer.step()

        if i % args.model_ema_steps == 0:
            model_ema.update_parameters(model)
        acc1 = (output.argmax(1) == target).float().mean().item()
        metric_logger.meters["loss"].update(loss.item(), n=len(image))
        metric_logger.meters["acc1"].update(acc1, n=len(image))


def evaluate(model, criterion, data_loader, log_suffix=""):
    model.eval()
    metric_logger = utils.MetricLogger()
    with torch.inference_mode():
        for image, target in metric_logger.log_every(data_loader, 100, f"Test: {log_suffix}"):
            output = model(image)
            metric_logger.meters["loss"].update(criterion(output, target).item(), n=len(image))


def load_data(args):
    dataset = presets.Pastries(42, 1, presets.ClassificationPresetTrain(crop_size=16))
    dataset_test = presets.Pastries(20, 2, presets.ClassificationPresetEval(crop_size=16))
    data_loader = torch.utils.data.DataLoader(
        dataset, batch_size=args.batch_size, shuffle=True, drop_last=True
    )
    data_loader_test = torch.utils.data.DataLoader(dataset_test, batch_size=args.batch_size)
    return data_loader, data_loader_test


def main(args):
    torch.manual_seed(args.seed)
    data_loader, data_loader_test = load_data(args)
    model = SmallNet()
    criterion = nn.CrossEntropyLoss(label_smoothing=args.label_smoothing)
    parameters = utils.set_weight_decay(model, args.weight_decay)
    optimizer = torch.optim.SGD(parameters, lr=args.lr, momentum=args.momentum)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=args.lr_warmup_epochs)
    main_lr = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    lr_scheduler = torch.optim.lr_scheduler.SequentialLR(
        optimizer, [warmup, main_lr], [args.lr_warmup_epochs]
    )
    model_ema = utils.ExponentialMovingAverage(model, decay=args.model_ema_decay)

    for epoch in range(args.epochs):
        parts = args.parts[: epoch // args.epochs_per_part + 1]
        utils.set_trainable(model, parts)
        train_one_epoch(model, criterion, optimizer, data_loader, epoch, args, model_ema)
        lr_scheduler.step()
        evaluate(model, criterion, data_loader_test)
        evaluate(model_ema.module, criterion, data_loader_test, log_suffix="EMA")


def get_args_parser():
    parser = argparse.ArgumentParser(description="PyTorch Classification Fine-tuning")
    parser.add_argument("-b", "--batch-size", default=8, type=int)
    parser.add_argument("--epochs", default=5, type=int)
    parser.add_argument("--epochs-per-part", default=2, type=int)
    parser.add_argument("--parts", default=("classifier", "features", "stem"), nargs="*")
    parser.add_argument("--lr", default=0.05, type=float)
    parser.add_argument("--momentum", default=0.9, type=float)
    parser.add_argument("--wd", default=1e-4, type=float, dest="weight_decay")
    parser.add_argument("--label-smoothing", default=0.1, type=float)
    parser.add_argument("--lr-warmup-epochs", default=1, type=int)
    parser.add_argument("--clip-grad-norm", default=5.0, type=float)
    parser.add_argument("--model-ema-steps", default=2, type=int)
    parser.add_argument("--model-ema-decay", default=0.9, type=float)
    parser.add_argument("--print-freq", default=10, type=int)
    parser.add_argument("--seed", default=3, type=int)
    return parser


if __name__ == "__main__":
    main(get_args_parser().parse_args())

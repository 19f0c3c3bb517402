"""Reference training of a leaf classifier: averaged weights, warmup, robust regression of size."""

import argparse

import presets
import torch
import utils
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LeafNet(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2),
        )
        self.activation = nn.LeakyReLU(0.1)
        self.classifier = nn.Linear(16, classes)
        self.regressor = nn.Linear(16, 1)

    def forward(self, image):
        features = self.activation(self.stem(image)).mean((2, 3))
        return self.classifier(features), self.regressor(features).squeeze(1)


class LeafCriterion(nn.Module):
    def __init__(self, size_weight):
        super().__init__()
        self.kind = nn.CrossEntropyLoss()
        self.size = nn.HuberLoss(delta=2.0)
        self.size_weight = size_weight

    def forward(self, output, target):
        return self.kind(output[0], target[0]) + self.size_weight * self.size(output[1], target[1])


def train_one_epoch(model, criterion, optimizer, data_loader, epoch, args, model_ema):
    model.train()
    metric_logger = utils.MetricLogger()
    batches = metric_logger.log_every(data_loader, args.print_freq, f"Epoch: [{epoch}]")
    for i, (image, label, size) in enumerate(batches):
        output = model(image)
        loss = criterion(output, (label, size))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad_norm)
        optimizer.step()
        if i % args.model_ema_steps == 0:
            model_ema.update_parameters(model)
        metric_logger.update(loss=loss, lr=optimizer.param_groups[0]["lr"])


@torch.inference_mode()
def evaluate(model, image, label):
    model.eval()
    return (model(image)[0].argmax(1) == label).float().mean().item()


def main(args):
    torch.manual_seed(0)
    dataset = TensorDataset(
        torch.randn(32, 3, 20, 20), torch.randint(0, 5, (32,)), 3 * torch.rand(32)
    )
    data_loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True, drop_last=True)
    model = LeafNet()
    criterion = LeafCriterion(args.size_weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=1)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs - 1)
    scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, cosine], milestones=[1])
    model_ema = utils.ExponentialMovingAverage(model, decay=0.9)
    ramps = presets.RampGroup(
        presets.Ramp(criterion.kind, "label_smoothing", 0.1, args.epochs),
        presets.Ramp(criterion, "size_weight", args.size_weight, args.epochs),
        presets.Ramp(model.activation, "negative_slope", 0.2, args.epochs),
    )
    for epoch in range(args.epochs):
        ramps.set_epoch(epoch)
        train_one_epoch(model, criterion, optimizer, data_loader, epoch, args, model_ema)
        scheduler.step()
        print(f"EMA: {evaluate(model_ema, *dataset.tensors[:2]):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--size-weight", type=float, default=0.5)
    parser.add_argument("--clip-grad-norm", type=float, default=1.0)
    parser.add_argument("--model-ema-steps", type=int, default=2)
    parser.add_argument("--print-freq", type=int, default=2)
    main(parser.parse_args())

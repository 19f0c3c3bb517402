"""Reference training script for semantic segmentation, reduced."""

import argparse

import torch
import torch.nn.functional as F
import utils
from fcn import FCN, freeze_batch_norm
from hedge import Hedgerows
from presets import SegmentationPresetEval, SegmentationPresetTrain
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


def criterion(inputs, target):
    losses = {}
    for name, x in inputs.items():
        losses[name] = F.cross_entropy(x.float(), target, ignore_index=255)
    if len(losses) == 1:
        return losses["out"]
    return losses["out"] + 0.5 * losses["aux"]


def evaluate(model, data_loader, num_classes):
    model.eval()
    confmat = utils.ConfusionMatrix(num_classes)
    with torch.inference_mode():
        for image, target in data_loader:
            output = model(image)["out"]
            confmat.update(target.flatten(), output.argmax(1).flatten())
    return confmat.compute()


def train_one_epoch(model, optimizer, data_loader, lr_scheduler, epoch, args):
    model.train()
    if epoch >= args.freeze_bn_epoch:
        freeze_batch_norm(model)
    amp = epoch < args.amp_epochs
    compiler = torch.compile(backend=args.backend)
    losses = utils.SmoothedValue()
    for image, target in data_loader:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=amp):
            output = model(image)
            loss = criterion(output, target)
        optimizer.zero_grad()
        with compiled_autograd._enable(compiler):
            loss.backward()
        optimizer.step()
        lr_scheduler.step()
        losses.update(loss.item())
    return losses.avg


def param_groups(model, args):
    """The auxiliary head learns ten times as fast."""
    backbone = [p for p in model.backbone.parameters() if p.requires_grad]
    head = [p for p in model.classifier.parameters() if p.requires_grad]
    groups = [{"params": backbone}, {"params": head}]
    if isinstance(model.aux_classifier, nn.Module):
        aux = [p for p in model.aux_classifier.parameters() if p.requires_grad]
        groups.append({"params": aux, "lr": args.lr * 10})
    return groups


def main(args):
    torch.manual_seed(args.seed)
    dataset = Hedgerows("train", SegmentationPresetTrain())
    dataset_test = Hedgerows("val", SegmentationPresetEval())
    num_classes = len(Hedgerows.classes)
    data_loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    data_loader_test = DataLoader(dataset_test, batch_size=1)
    model = FCN(num_classes)
    optimizer = torch.optim.SGD(param_groups(model, args), lr=args.lr, momentum=0.9)
    iters = len(data_loader) * args.epochs
    lr_scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=iters, power=0.9)
    for epoch in range(args.epochs):
        loss = train_one_epoch(model, optimizer, data_loader, lr_scheduler, epoch, args)
        acc, miou = evaluate(model, data_loader_test, num_classes)
        print(f"Epoch [{epoch}] loss {loss:.4f} acc {acc:.3f} mIoU {miou:.3f}")


def get_args_parser():
    parser = argparse.ArgumentParser(description="Segmentation training")
    parser.add_argument("-b", "--batch-size", default=8, type=int)
    parser.add_argument("--epochs", default=4, type=int)
    parser.add_argument("--lr", default=0.01, type=float)
    parser.add_argument("--amp-epochs", default=2, type=int, help="mixed precision until then")
    parser.add_argument("--freeze-bn-epoch", default=3, type=int)
    parser.add_argument("--backend", default="aot_eager")
    parser.add_argument("--seed", default=0, type=int)
    return parser


if __name__ == "__main__":
    main(get_args_parser().parse_args())

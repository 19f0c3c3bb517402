import math

import torch
import utils


def train_one_epoch(model, criterion, optimizer, loader, epoch, args):
    model.train()
    meters = utils.Meters("  ")
    for image, target in loader:
        output = model(image)
        loss = criterion(output, target)
        if not math.isfinite(loss.item()):
            raise SystemExit(f"Loss is {loss.item()}, stopping training")

        optimizer.zero_grad()
        loss.backward()
        if args.clip_grad_norm is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad_norm)
        optimizer.step()

        acc1 = utils.accuracy(output, target)
        meters.update(len(image), loss=loss.item(), acc1=acc1)
    print(f"Epoch: [{epoch}] {meters}")


@torch.inference_mode()
def evaluate(model, criterion, loader):
    model.eval()
    meters = utils.Meters("  ")
    for image, target in loader:
        output = model(image)
        loss = criterion(output, target)
        meters.update(len(image), loss=loss.item(), acc1=utils.accuracy(output, target))
    print(f"Test: {meters}")
    return meters["acc1"]

import argparse
import logging

import torch
from autoencoder import StrainAutoencoder
from gauges import StrainWindows
from objectives import Objective
from safety import GradientGuard

log = logging.getLogger("strain")


def parser():
    p = argparse.ArgumentParser(description="anomalies of a bridge by reconstruction")
    p.add_argument("--length", type=int, default=16)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--sparsity", type=float, default=0.01)
    p.add_argument("--sparsity-warmup", type=int, default=2)
    return p


def main(args):
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(33)
    windows = StrainWindows(args.length, args.batch_size)
    model = StrainAutoencoder(gauges=6, length=args.length)
    guard = GradientGuard(model)
    objective = Objective(args.sparsity, args.sparsity_warmup)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        total = torch.zeros(())
        for window in windows.epoch(4):
            loss = objective(model(window), window, epoch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        log.info("epoch %d: %.4f", epoch, total.item() / 4)
    guard.close()


if __name__ == "__main__":
    main(parser().parse_args())

"""Serves some traffic with a scorer."""

import torch
from clients import FEATURES, traffic
from gateway import Gateway, Scorer

MORNING = ["web", "edge", "warehouse", "web", "partner", "warehouse", "edge"]


def main():
    torch.manual_seed(0)
    gateway = Gateway(Scorer(FEATURES))
    for client, rows in traffic(MORNING):
        gateway.handle(client, rows)


if __name__ == "__main__":
    main()

"""Serves a morning's requests."""

import torch
from boats import arriving
from pipeline import ReefPipeline

KINDS = ("sand", "stony", "soft", "algae", "bleached")


def main():
    torch.manual_seed(0)
    labels = ReefPipeline().label(arriving())
    for kind, share in zip(KINDS, torch.bincount(labels.flatten(), minlength=5), strict=True):
        print(f"{kind}: {share.item() / labels.numel():.1%}")


if __name__ == "__main__":
    main()

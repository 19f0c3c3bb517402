"""Reference training of retinal vessel segmentation."""

import argparse

import torch
from data import FundusPatches, RandomFlip, collate_fn
from loops import evaluate, set_trainable, train_one_epoch
from torch.utils.data import DataLoader
from unet import Encoder, VesselNet


def get_args_parser():
    parser = argparse.ArgumentParser(description="Vessel segmentation", add_help=True)
    parser.add_argument("-b", "--batch-size", default=8, type=int)
    parser.add_argument("--epochs", default=5, type=int)
    parser.add_argument("--lr", default=0.01, type=float)
    parser.add_argument("--weight-decay", default=1e-4, type=float)
    parser.add_argument("--aux-weight", default=0.4, type=float)
    parser.add_argument("--aux-epochs", default=4, type=int, help="fade the auxiliary loss out")
    parser.add_argument("--freeze-epochs", default=2, type=int, help="keep the encoder as it is")
    return parser


def pretrained_encoder():
    """Stands in for weights that were downloaded."""
    with torch.random.fork_rng():
        torch.manual_seed(1234)
        return Encoder()


def main(args):
    torch.manual_seed(0)
    dataset = FundusPatches(32, transforms=RandomFlip())
    dataset_test = FundusPatches(12, seed=1)
    loader = DataLoader(dataset, args.batch_size, shuffle=True, collate_fn=collate_fn)
    loader_test = DataLoader(dataset_test, args.batch_size, collate_fn=collate_fn)

    model = VesselNet(pretrained_encoder())
    decoder = [p for n, p in model.named_parameters() if not n.startswith("encoder.")]
    params_to_optimize = [
        {"params": list(model.encoder.parameters()), "lr": args.lr / 10},
        {"params": decoder},
    ]
    optimizer = torch.optim.AdamW(
        params_to_optimize, lr=args.lr, weight_decay=args.weight_decay, foreach=False
    )
    iters = len(loader) * args.epochs
    lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda x: (1 - x / iters) ** 0.9)

    best = 0.0
    for epoch in range(args.epochs):
        set_trainable(model.encoder, epoch >= args.freeze_epochs)
        aux_weight = args.aux_weight * max(0.0, 1 - epoch / args.aux_epochs)
        train_one_epoch(model, optimizer, lr_scheduler, loader, epoch, aux_weight)
        iou = evaluate(model, loader_test)
        print(f"Test: IoU {iou:.3f}")
        best = max(best, iou)
    print(f"best {best:.3f}")


if __name__ == "__main__":
    main(get_args_parser().parse_args())

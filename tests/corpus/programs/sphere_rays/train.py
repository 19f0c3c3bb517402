"""Fits a radiance field to pictures of a sphere."""

import argparse
from itertools import islice

import torch
from field import RadianceField, render_rays
from rays import RayBank
from torch._dynamo import compiled_autograd


def config_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--N_rand", type=int, default=48, help="rays in a step")
    parser.add_argument("--N_samples", type=int, default=8)
    parser.add_argument("--N_iters", type=int, default=14)
    parser.add_argument("--perturb", type=float, default=1.0)
    parser.add_argument("--lrate", type=float, default=5e-3)
    parser.add_argument("--lrate_decay", type=int, default=10)
    parser.add_argument("--i_print", type=int, default=5)
    return parser


def train():
    args = config_parser().parse_args()
    torch.manual_seed(0)
    bank = RayBank(pictures=2, height=10, width=10, chunk=args.N_rand)
    field = RadianceField()
    optimizer = torch.optim.Adam(field.parameters(), lr=args.lrate, betas=(0.9, 0.999))
    for i, (origins, directions, colors) in enumerate(islice(bank, args.N_iters)):
        extras = render_rays(
            field, origins, directions, 2.0, 4.0, args.N_samples, perturb=args.perturb > 0
        )
        if i % args.i_print == 0:
            extras["weights"].retain_grad()
        loss = (extras["rgb"] - colors).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] = args.lrate * 0.1 ** (i / (args.lrate_decay * 10))
        if i % args.i_print == 0:
            psnr = -10 * torch.log10(loss.detach())
            drawn = extras["weights"].grad.abs().mean()
            print(f"[TRAIN] Iter: {i} PSNR: {psnr.item():.2f} weights: {drawn.item():.2e}")


if __name__ == "__main__":
    with compiled_autograd._enable(torch.compile(backend="eager")):
        train()

import argparse

import torch
from field import NeRF
from rays import RayBank, camera, truth
from render import render_rays


def config_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--N_rand", type=int, default=64, help="number of rays per gradient step")
    parser.add_argument("--N_iters", type=int, default=18)
    parser.add_argument("--chunk", type=int, default=64, help="number of rays processed at once")
    parser.add_argument("--c2f_start", type=float, default=0.1)
    parser.add_argument("--c2f_end", type=float, default=0.5)
    parser.add_argument("--i_stage", type=int, default=3, help="iterations between stages")
    parser.add_argument("--i_testset", type=int, default=9)
    parser.add_argument("--lrate", type=float, default=5e-3)
    parser.add_argument("--lrate_decay", type=float, default=0.05)
    return parser


def mse2psnr(x):
    return -10.0 * torch.log10(x)


def schedule(i, args):
    """How far the frequencies are let in, in stages."""
    stage = i // args.i_stage * args.i_stage / args.N_iters
    return min(max((stage - args.c2f_start) / (args.c2f_end - args.c2f_start), 0.0), 1.0)


@torch.no_grad()
def render_path(model, renderer, angles, chunk, resolution=13):
    psnrs = []
    for angle in angles:
        rays_o, rays_d = camera(angle, resolution)
        rows = []
        for i in range(0, len(rays_o), chunk):
            rgb, _ = renderer(
                model, rays_o[i : i + chunk], rays_d[i : i + chunk], 1.0, perturb=False
            )
            rows.append(rgb)
        psnrs.append(mse2psnr((torch.cat(rows) - truth(rays_o, rays_d)).square().mean()).item())
    return sum(psnrs) / len(psnrs)


def train():
    args = config_parser().parse_args()
    torch.manual_seed(0)
    bank = RayBank()
    model = NeRF()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lrate, betas=(0.9, 0.999))
    render_train = torch.compile(render_rays, backend="aot_eager")
    render_test = torch.compile(render_rays, backend="aot_eager")

    for i in range(args.N_iters):
        rays_o, rays_d, target = bank.sample(args.N_rand)
        progress = schedule(i, args)
        rgb, depth = render_train(model, rays_o, rays_d, progress)
        img_loss = (rgb - target).square().mean()
        optimizer.zero_grad()
        img_loss.backward()
        optimizer.step()

        new_lrate = args.lrate * (0.1 ** (i / (args.lrate_decay * 1000)))
        for param_group in optimizer.param_groups:
            param_group["lr"] = new_lrate

        if (i + 1) % args.i_testset == 0:
            psnr = mse2psnr(img_loss.detach()).item()
            held_out = render_path(model, render_test, torch.tensor([0.5, 2.5]), args.chunk)
            mean_depth = depth.mean().item()
            print(f"[TRAIN] {i} PSNR {psnr:.2f} depth {mean_depth:.2f} [TEST] {held_out:.2f}")


if __name__ == "__main__":
    train()

"""General-purpose training script for unpaired image-to-image translation: ponies to zebras."""

import argparse
import random

import torch
from cycle_gan_model import CycleGANModel


class UnalignedDataset(torch.utils.data.Dataset):
    def __init__(self, size=20, load_size=16, seed=0):
        g = torch.Generator().manual_seed(seed)
        ramp = torch.linspace(-3, 3, load_size)
        body = torch.exp(-(ramp[None] ** 2) - ramp[:, None] ** 2 / 2)
        shade = 0.5 * torch.rand(size, 3, 1, 1, generator=g)
        self.A = body * (0.5 + shade) * 2 - 1
        stripes = torch.sign(torch.sin(4 * ramp + 6 * torch.rand(size, 1, generator=g)))
        self.B = body * stripes[:, None, None, :].expand(-1, 3, load_size, -1)

    def __len__(self):
        return len(self.A)

    def __getitem__(self, index):
        index_B = random.randint(0, len(self.B) - 1)
        return {"A": self.A[index], "B": self.B[index_B]}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=4)
    parser.add_argument("--ngf", type=int, default=8)
    parser.add_argument("--ndf", type=int, default=8)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--beta1", type=float, default=0.5)
    parser.add_argument("--pool_size", type=int, default=10)
    parser.add_argument("--lambda_A", type=float, default=10.0)
    parser.add_argument("--lambda_identity_start", type=float, default=5.0)
    parser.add_argument("--n_epochs", type=int, default=5)
    parser.add_argument("--n_epochs_identity", type=int, default=3)
    parser.add_argument("--print_freq", type=int, default=5)
    parser.add_argument("--backend", default="aot_eager")
    return parser.parse_args()


if __name__ == "__main__":
    opt = options()
    random.seed(6)
    torch.manual_seed(6)
    dataset = torch.utils.data.DataLoader(UnalignedDataset(), opt.batch_size, shuffle=True)
    model = CycleGANModel(opt)
    total_iters = 0
    for epoch in range(opt.n_epochs):
        model.update_options(epoch)
        for data in dataset:
            total_iters += 1
            model.set_input(data)
            model.optimize_parameters()
            if total_iters % opt.print_freq == 0:
                losses = model.get_current_losses()
                message = " ".join(f"{k}: {v:.3f}" for k, v in losses.items())
                print(f"(epoch: {epoch}, iters: {total_iters}) {message}")

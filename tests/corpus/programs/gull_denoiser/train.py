import random

import torch
from diffusion import GaussianDiffusion1D
from helpers import cycle
from torch.utils.data import DataLoader, Dataset
from unet1d import Unet1D


class GullCries(Dataset):
    def __init__(self, count, seq_length):
        phase = torch.rand(count, 1, 1) * 6.28
        pitch = 2 + 6 * torch.rand(count, 1, 1)
        self.cries = torch.sin(torch.linspace(0, 1, seq_length) * pitch * 6.28 + phase)

    def __len__(self):
        return len(self.cries)

    def __getitem__(self, idx):
        return self.cries[idx]


class Trainer1D:
    def __init__(self, diffusion, dataset, *, batch_size, train_lr, train_num_steps, accumulate):
        self.model = diffusion
        loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)
        self.dl = cycle(loader)
        self.opt = torch.optim.Adam(diffusion.parameters(), lr=train_lr, betas=(0.9, 0.99))
        self.train_num_steps = train_num_steps
        self.gradient_accumulate_every = accumulate
        self.step = 0

    def train(self):
        while self.step < self.train_num_steps:
            total_loss = 0.0
            for _ in range(self.gradient_accumulate_every):
                loss = self.model(next(self.dl)) / self.gradient_accumulate_every
                total_loss += loss.item()
                loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad()
            self.step += 1
            if self.step % 5 == 0:
                print(f"{self.step}: loss {total_loss:.4f}")


if __name__ == "__main__":
    random.seed(3)
    torch.manual_seed(3)
    model = Unet1D(dim=8, channels=1, self_condition=True)
    diffusion = GaussianDiffusion1D(model, seq_length=32, min_snr_gamma=5)
    Trainer1D(
        diffusion,
        GullCries(40, 32),
        batch_size=8,
        train_lr=2e-3,
        train_num_steps=10,
        accumulate=2,
    ).train()

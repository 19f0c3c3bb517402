"""Trains a diffusion model of marble; averaged weights draw a sample after each epoch."""

from dataclasses import dataclass

import torch
from diffusion import GaussianDiffusion
from torch._dynamo import compiled_autograd
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset
from unet import Denoiser


@dataclass
class TrainingConfig:
    epochs: int = 3
    batch_size: int = 6
    learning_rate: float = 2e-3
    warmup_steps: int = 3
    ema_decay: float = 0.9
    max_grad_norm: float = 1.0
    classes: int = 3


def marbles(count, classes, side=8):
    kinds = torch.randint(0, classes, (count,))
    waves = torch.sin(
        torch.arange(side) * (kinds.view(-1, 1, 1) + 1.0) + torch.rand(count, 1, side)
    )
    return TensorDataset(waves.unsqueeze(1).expand(-1, -1, side, -1).contiguous(), kinds)


def main():
    torch.manual_seed(9)
    config = TrainingConfig()
    data = marbles(27, config.classes)
    loader = DataLoader(data, batch_size=config.batch_size, shuffle=True, drop_last=True)
    diffusion = GaussianDiffusion()
    model = Denoiser(diffusion.timesteps, config.classes)
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(config.ema_decay))
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / config.warmup_steps)
    )
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(config.epochs):
            model.train()
            for pictures, kinds in loader:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = diffusion.loss(model, pictures, kinds)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), config.max_grad_norm)
                optimizer.step()
                scheduler.step()
                ema.update_parameters(model)
            ema.eval()
            drawn = diffusion.sample(ema, (2, 1, 8, 8), torch.tensor([0, 1]))
            print(f"epoch {epoch}: {loss.item():.3f}, drawn {drawn.std().item():.2f}")


if __name__ == "__main__":
    main()

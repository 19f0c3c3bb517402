#!/usr/bin/env python
"""Fine-tuning script for text to image on pictures of kimonos."""

import argparse
import logging

import torch
import torch.nn.functional as F
from scheduling import DDPMScheduler, EMAModel
from torch.utils.data import DataLoader, Dataset
from unet import UNetTiny

logger = logging.getLogger(__name__)


def parse_args():
    parser = argparse.ArgumentParser(description="Simple example of a training script.")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--train_batch_size", type=int, default=4)
    parser.add_argument("--num_train_epochs", type=int, default=3)
    parser.add_argument("--learning_rate", type=float, default=1e-3)
    parser.add_argument(
        "--gradient_checkpointing", action=argparse.BooleanOptionalAction, default=True
    )
    parser.add_argument("--snr_gamma", type=float, default=5.0)
    parser.add_argument("--noise_offset", type=float, default=0.05)
    parser.add_argument("--conditioning_dropout_prob", type=float, default=0.2)
    parser.add_argument("--max_grad_norm", type=float, default=1.0)
    return parser.parse_args()


class Kimonos(Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        self.latents = torch.randn(count, 4, 8, 8, generator=g)
        self.captions = torch.randn(count, 6, generator=g)

    def __len__(self):
        return len(self.latents)

    def __getitem__(self, i):
        return {"latents": self.latents[i], "prompt_embeds": self.captions[i]}


def main(args):
    torch.manual_seed(args.seed)
    noise_scheduler = DDPMScheduler()
    unet = UNetTiny()
    if args.gradient_checkpointing:
        unet.enable_gradient_checkpointing()
    ema_unet = EMAModel(unet.parameters())
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.learning_rate, weight_decay=1e-2)
    train_dataloader = DataLoader(
        Kimonos(18, args.seed), shuffle=True, batch_size=args.train_batch_size, drop_last=True
    )

    global_step = 0
    for epoch in range(args.num_train_epochs):
        unet.train()
        train_loss = 0.0
        for batch in train_dataloader:
            latents = 0.18215 * batch["latents"]
            noise = torch.randn_like(latents)
            if args.noise_offset:
                noise = noise + args.noise_offset * torch.randn(*latents.shape[:2], 1, 1)
            bsz = latents.shape[0]
            timesteps = torch.randint(0, noise_scheduler.num_train_timesteps, (bsz,))
            noisy_latents = noise_scheduler.add_noise(latents, noise, timesteps)
            kept = torch.rand(bsz, 1) >= args.conditioning_dropout_prob
            encoder_hidden_states = batch["prompt_embeds"] * kept

            model_pred = unet(noisy_latents, timesteps, encoder_hidden_states)
            snr = noise_scheduler.compute_snr(timesteps)
            mse_loss_weights = snr.clamp(max=args.snr_gamma) / snr
            loss = F.mse_loss(model_pred, noise, reduction="none").mean(dim=[1, 2, 3])
            loss = (loss * mse_loss_weights).mean()
            train_loss += loss.item()

            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(unet.parameters(), args.max_grad_norm)
            optimizer.step()
            ema_unet.step(unet.parameters())
            global_step += 1
        print(f"epoch {epoch} step {global_step} loss {train_loss / len(train_dataloader):.4f}")


if __name__ == "__main__":
    main(parse_args())

"""Fine-tuning script for a small super-resolution diffusion model on pictures of herons."""

import argparse
import logging
import math

import torch
import torch.nn.functional as F
from scheduling import NoiseScheduler
from training_utils import EMAModel, collate_fn
from unet import UpscalerUNet

logger = logging.getLogger(__name__)


def parse_args():
    parser = argparse.ArgumentParser(description="Simple example of a training script.")
    parser.add_argument("--train_batch_size", type=int, default=6)
    parser.add_argument("--num_train_epochs", type=int, default=3)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--lr_warmup_steps", type=int, default=3)
    parser.add_argument("--snr_gamma", type=float, default=5.0)
    parser.add_argument("--noise_offset", type=float, default=0.05)
    parser.add_argument("--conditioning_dropout_prob", type=float, default=0.2)
    parser.add_argument("--validation_epochs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--torch_compile_backend", type=str, default="aot_eager")
    return parser.parse_args()


def herons(count, size, generator):
    for i in range(count):
        shade = torch.rand(3, 1, 1, generator=generator)
        picture = (
            torch.linspace(-1, 1, size) * shade
            + torch.randn(3, size, size, generator=generator) / 9
        )
        yield {"pixel_values": picture, "name": f"heron_{i:03d}.png"}


def log_validation(unet, scheduler, batch, generator):
    unet.eval()
    sample = torch.randn(batch["pixel_values"].shape, generator=generator)
    with torch.no_grad():
        for index, t in enumerate(scheduler.timesteps):
            noise_pred = unet(sample, t.expand(len(sample)), batch["low_res"])
            sample = scheduler.step(noise_pred, index, sample)
    unet.train()
    mse = F.mse_loss(sample, batch["pixel_values"]).item()
    return 10 * math.log10(4 / mse)


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    noise_scheduler = NoiseScheduler()
    model = UpscalerUNet()
    ema_unet = EMAModel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / args.lr_warmup_steps)
    )
    train_dataloader = torch.utils.data.DataLoader(
        list(herons(26, 16, generator)),
        shuffle=True,
        collate_fn=collate_fn,
        batch_size=args.train_batch_size,
        drop_last=True,
    )
    validation = collate_fn(list(herons(args.train_batch_size, 16, generator)))
    unet = torch.compile(model, backend=args.torch_compile_backend)
    global_step, history = 0, []
    for epoch in range(args.num_train_epochs):
        train_loss = 0.0
        for step, batch in enumerate(train_dataloader):
            images = batch["pixel_values"]
            noise = torch.randn_like(images)
            noise = noise + args.noise_offset * torch.randn(len(images), 3, 1, 1)
            timesteps = torch.randint(0, noise_scheduler.num_train_timesteps, (len(images),))
            noisy = noise_scheduler.add_noise(images, noise, timesteps)
            keep = (torch.rand(len(images)) >= args.conditioning_dropout_prob).float()
            model_pred = unet(noisy, timesteps, batch["low_res"], keep)
            snr = noise_scheduler.snr(timesteps)
            weights = snr.clamp(max=args.snr_gamma) / snr
            loss = F.mse_loss(model_pred, noise, reduction="none").mean(dim=(1, 2, 3))
            loss = (loss * weights).mean() / args.gradient_accumulation_steps
            loss.backward()
            train_loss += loss.item()
            if (step + 1) % args.gradient_accumulation_steps == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
                ema_unet.step(model)
                global_step += 1
                logs = {"loss": round(train_loss, 4), "lr": lr_scheduler.get_last_lr()[0]}
                history.append((global_step, logs))
                train_loss = 0.0
        if epoch % args.validation_epochs == 0:
            with ema_unet.applied_to(model):
                psnr = log_validation(unet, noise_scheduler, validation, generator)
            logger.info(
                f"epoch {epoch} {history[-1]} ema {ema_unet.cur_decay_value:.3f} {psnr:.1f} dB"
            )


if __name__ == "__main__":
    main()

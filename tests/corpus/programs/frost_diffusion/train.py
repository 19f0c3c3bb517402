"""v-prediction with min-SNR weights on images of frost flowers."""

import copy

import torch
from conditioning import WeatherEncoder, slow_down
from schedule import CosineSchedule
from unet import FrostUNet

CONFIG = {
    "resolution": 8,
    "train_batch_size": 8,
    "max_train_steps": 12,
    "learning_rate": 2e-3,
    "encoder_rate": (0.05, 1.0),
    "encoder_warmup_steps": 6,
    "conditioning_dropout": 0.15,
    "ema_decay": 0.95,
    "gradient_checkpointing": True,
    "seed": 273,
}


def frost_flowers(count, resolution):
    """Stars of six rays: wet air makes them wide, cold air makes them large."""
    weather = torch.rand(count, 2)
    axis = torch.linspace(-1, 1, resolution)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    radius, angle = (x * x + y * y).sqrt(), torch.atan2(y, x)
    size, width = weather[:, :1, None] + 0.3, 0.5 + weather[:, 1:, None]
    rays = (3 * angle).cos().abs() ** (2 / width)
    return (rays * torch.exp(-radius / size) * 2 - 1).unsqueeze(1), weather


@torch.no_grad()
def update_ema(ema, model, decay):
    for kept, new in zip(ema.parameters(), model.parameters(), strict=True):
        kept.lerp_(new, 1 - decay)


def encoder_rate(step, config):
    low, high = config["encoder_rate"]
    return low + (high - low) * min(1.0, step / config["encoder_warmup_steps"])


def main(config):
    torch.manual_seed(config["seed"])
    scheduler = CosineSchedule()
    unet, encoder = FrostUNet(), WeatherEncoder(16)
    if config["gradient_checkpointing"]:
        unet.enable_gradient_checkpointing()
    ema_unet = copy.deepcopy(unet).requires_grad_(False)
    params = [*unet.parameters(), *encoder.parameters()]
    optimizer = torch.optim.AdamW(params, lr=config["learning_rate"])

    for step in range(config["max_train_steps"]):
        images, weather = frost_flowers(config["train_batch_size"], config["resolution"])
        noise = torch.randn_like(images)
        timesteps = torch.randint(scheduler.num_train_timesteps, (len(images),))
        noisy = scheduler.add_noise(images, noise, timesteps)
        target = scheduler.velocity(images, noise, timesteps)

        cond = slow_down(
            encoder(weather, config["conditioning_dropout"]), encoder_rate(step, config)
        )
        error = (unet(noisy, timesteps, cond) - target).square().mean(dim=(1, 2, 3))
        loss = (scheduler.min_snr_weight(timesteps) * error).mean()

        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        update_ema(ema_unet, unet, min(config["ema_decay"], (1 + step) / (10 + step)))
        if step % 4 == 3:
            print(f"step {step}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main(CONFIG)

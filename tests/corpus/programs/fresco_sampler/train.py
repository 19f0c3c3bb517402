"""Paints frescos; the weights come from nowhere."""

import argparse

import torch
from pipeline import FrescoPipeline
from scheduler import MultistepScheduler
from unet_2d import UNet2DConditionModel

PROMPTS = ["saint with book", "lamb", "two angels at a well"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=7)
    parser.add_argument("--guidance", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    pipe = FrescoPipeline(UNet2DConditionModel().eval(), MultistepScheduler())
    for number, prompt in enumerate(PROMPTS):
        generator = torch.Generator().manual_seed(args.seed + number)
        image = pipe(prompt, args.steps, args.guidance, generator=generator)
        print(f"{prompt}: {image.mean():.4f} ± {image.std():.4f}")


if __name__ == "__main__":
    main()

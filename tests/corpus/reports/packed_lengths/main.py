"""Clip sampler: prompts of several lengths are packed and sent through a joint block."""
import argparse
from dataclasses import dataclass

import torch

from joint import JointBlock
from packing import pack


@dataclass
class Request:
    prompt: str
    seed: int


REQUESTS = [
    Request("a fox in the snow", 1),
    Request("two boats under a bridge at night", 2),
    Request("rain", 3),
    Request("an old baker pulls bread out of a stone oven", 4),
    Request("slow pan over a wheat field with a red tractor", 5),
    Request("kites", 6),
    Request("a lighthouse, storm, wide shot, film grain", 7),
    Request("macro of a bee on lavender", 8),
    Request("children run down a dune, laughing, late light", 9),
    Request("a tram turns the corner", 10),
]


class Sampler:
    def __init__(self, width, steps):
        torch.manual_seed(0)
        self.width = width
        self.steps = steps
        block = JointBlock(width)
        self.block = torch.compile(block, backend="eager", dynamic=False)

    @torch.no_grad()
    def sample(self, request):
        generator = torch.Generator().manual_seed(request.seed)
        video = torch.randn(1, 24, self.width, generator=generator)
        text, packed = pack(request.prompt, self.width, generator)
        for step in range(self.steps):
            video = video - 0.1 * self.block(video, text, packed)
        return video


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    sampler = Sampler(options.width, options.steps)
    total = 0.0
    for request in REQUESTS:
        clip = sampler.sample(request)
        total += clip.square().mean().item()
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()

"""Speaker embeddings; the batch varies with the number of voices found."""
import argparse

import torch

from config import EmbedConfig
from embed import Embedder


def clips(config, rounds):
    generator = torch.Generator().manual_seed(40)
    for index in range(rounds):
        voices = config.batch if index == 0 else 2 + index
        clip = torch.randn(voices, config.frames, config.bands, generator=generator)
        torch._dynamo.mark_dynamic(clip, 0)
        yield clip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    config = EmbedConfig(batch=options.batch)
    torch.manual_seed(40)
    net = Embedder(config).eval()
    fast = torch.compile(net, backend="eager")
    total = 0.0
    with torch.no_grad():
        for clip in clips(config, options.rounds):
            out = fast(clip)
            total += out.abs().mean().item()
            print("%d voices %.5f" % (out.shape[0], out.abs().mean().item()))
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()

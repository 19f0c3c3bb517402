"""Writes captions for a handful of images."""

import torch
from beams import BeamConfig, BeamSearch
from decoder import CaptionDecoder

WORDS = ["<begin>", "<end>", "a", "dog", "runs", "on", "grass", "two", "birds", "fly"]


def main():
    torch.manual_seed(0)
    config = BeamConfig()
    decoder = CaptionDecoder(len(WORDS), config.longest).eval()
    search = BeamSearch(decoder, config)
    captions = {}
    for number in range(3):
        words = search(torch.randn(1, 16))
        captions[number] = " ".join(WORDS[word] for word in words)


if __name__ == "__main__":
    main()

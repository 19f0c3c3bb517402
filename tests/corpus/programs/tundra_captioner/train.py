"""Serves captions of camera traps in the tundra."""

import torch
from decoder import CaptionDecoder
from generate import Captioner, Request
from vision import PatchEncoder, camera_trap

WORDS = ["<s>", "</s>", "a", "fox", "hare", "owl", "lemming", "snow", "by", "night", "in", "two"]
MAX_LEN = 12


def requests():
    pictures = camera_trap(8).split(2)
    yield Request(pictures[0])
    yield Request(pictures[1], do_sample=True, temperature=0.8)
    yield Request(pictures[2], avoid=(3, 4))
    yield Request(pictures[3], do_sample=True, temperature=1.3)


def main():
    torch.manual_seed(21)
    encoder = PatchEncoder(16).eval()
    decoder = CaptionDecoder(len(WORDS), max_len=MAX_LEN).eval()
    decoder.compile(backend="aot_eager")
    captioner = Captioner(encoder, decoder, MAX_LEN)
    for number, request in enumerate(requests()):
        for ids in captioner(request):
            print(number, " ".join(WORDS[i] for i in ids.tolist() if i > 1))


if __name__ == "__main__":
    main()

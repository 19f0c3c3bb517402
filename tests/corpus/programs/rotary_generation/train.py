"""Completes prompts of several sizes."""

import torch
from rotary import Decoder
from service import Completions


def main():
    torch.manual_seed(0)
    service = Completions(Decoder()).warm_up(batch=3, length=9)
    for number, length in enumerate([4, 11, 7, 23]):
        prompts = torch.randint(0, 50, (2 + number, length))
        service.complete(prompts, count=5, temperature=1.0 - 0.2 * number)


if __name__ == "__main__":
    main()

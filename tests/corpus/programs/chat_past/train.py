"""Answers three prompts."""

import torch
from layers import Decoder
from sampling import answer


def main():
    torch.manual_seed(0)
    decoder = Decoder().eval()
    step = torch.compile(decoder, backend="eager")
    for _ in range(3):
        print(answer(step, torch.randint(40, (4,))).shape)


if __name__ == "__main__":
    main()

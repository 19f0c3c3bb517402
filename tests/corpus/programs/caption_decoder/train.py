"""Caption images, token by token, with a decoder that is compiled."""

import argparse

import torch
from decoder import CaptionDecoder
from search import greedy


def images(batches, batch_size):
    for _ in range(batches):
        yield torch.randn(batch_size, 16)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--max-new-tokens", type=int, default=6)
    args = parser.parse_args()
    torch.manual_seed(0)
    model = CaptionDecoder().eval()
    decode = torch.compile(model, backend="eager", dynamic=False)
    for batch in images(args.batches, args.batch_size):
        for caption in greedy(decode, batch, args.max_new_tokens).tolist():
            print(*caption)


if __name__ == "__main__":
    main()

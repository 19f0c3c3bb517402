"""Answer prompts of several lengths at several temperatures."""

import time

import torch
from generate import generate
from llama import Llama

REQUESTS = [(5, 0.2, 5), (9, 0.8, 10), (12, 1.0, 20), (7, 1.3, None)]


def main():
    torch.manual_seed(0)
    model = Llama().eval()
    decode_one = torch.compile(model, backend="eager", fullgraph=True)
    for length, temperature, top_k in REQUESTS:
        prompt = torch.randint(0, 60, (2, length))
        started = time.perf_counter()
        tokens = generate(model, decode_one, prompt, 8, temperature=temperature, top_k=top_k)
        rate = tokens.numel() / (time.perf_counter() - started)
        print(f"prompt of {length}: {rate:.0f} tokens/s")


if __name__ == "__main__":
    main()

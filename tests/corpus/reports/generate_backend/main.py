import torch
from generation import Generator
from model import TinyDecoder


def main():
    torch.manual_seed(0)
    gen = Generator(TinyDecoder(vocab=20, dim=12).eval(), window=6)
    outputs = []
    for request in range(10):
        prompt = torch.tensor([[request % 20, (3 * request) % 20]])
        out = gen.generate(prompt, new_tokens=4)
        outputs.append(out[0].tolist())
        print("request", request, outputs[-1])
    print("compile log", gen.seen_graphs[:1])
    print("FINAL", sum(i * t for i, row in enumerate(outputs) for t in row))


if __name__ == "__main__":
    main()

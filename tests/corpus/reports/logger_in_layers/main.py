import logging

import torch
from decoder import Decoder

logging.basicConfig(level=logging.WARNING)


def main():
    torch.manual_seed(0)
    model = torch.compile(Decoder(layers=3, dim=16).eval(), backend="aot_eager")
    ids = torch.randint(0, 50, (2, 6))
    with torch.no_grad():
        for _ in range(4):
            logits = model(ids)
            ids = torch.cat([ids[:, 1:], logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    print(ids.tolist())
    print("FINAL", round(logits.abs().mean().item(), 5))


if __name__ == "__main__":
    main()

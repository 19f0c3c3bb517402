"""Scores texts with a model whose blocks are compiled one by one."""

import torch
from model import Language


def main():
    torch.manual_seed(0)
    model = Language().eval()
    for block in model.blocks:
        block.compile(backend="eager")
    with torch.no_grad():
        for _ in range(3):
            model(torch.randint(0, 40, (2, 10)))


if __name__ == "__main__":
    main()

"""Learns embeddings of series without labels."""

import torch
from augment import REGISTRY
from objective import ContrastiveStep, SeriesEncoder
from schedule import cosine

CONFIG = {
    "epochs": 4,
    "sharpness": {"start": 5.0, "end": 15.0},
    "augmentations": ["jitter", "rescale", "reverse"],
}


def main(config=CONFIG):
    torch.manual_seed(0)
    encoder = SeriesEncoder()
    step = ContrastiveStep(encoder)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    augmentations = [REGISTRY[name] for name in config["augmentations"]]
    for sharpness in cosine(epochs=config["epochs"], **config["sharpness"]):
        for augment in augmentations:
            loss = step.loss(torch.randn(10, 16), augment, sharpness)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()

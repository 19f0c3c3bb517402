"""Train a recognizer of spoken commands."""

import torch
from audio import get_loader
from model import CommandNet
from trainer import Trainer


def main():
    torch.manual_seed(42)
    trainer = Trainer(CommandNet(), get_loader(batch_size=8))
    trainer.fit(epochs=2)


if __name__ == "__main__":
    main()

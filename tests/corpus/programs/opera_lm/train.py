"""A language model of libretti, with gradients of several batches for each step."""

import torch
from libretto import VERSES, Blocks, CharTokenizer
from model import LabelSmoother, LibrettoLM, ZLoss
from trainer import Trainer, TrainingArguments


def main():
    args = TrainingArguments()
    torch.manual_seed(args.seed)
    tokenizer = CharTokenizer(VERSES)
    trainer = Trainer(
        LibrettoLM(len(tokenizer)),
        args,
        Blocks(tokenizer, block=20),
        LabelSmoother(0.1),
        ZLoss(),
    )
    trainer.train()


if __name__ == "__main__":
    main()

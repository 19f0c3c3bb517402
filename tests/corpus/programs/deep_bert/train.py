"""Pretrain a small encoder with gradient checkpointing, to save memory."""

import argparse

import torch
import torch.nn.functional as F
from bert import Encoder
from mlm import IGNORE, Corpus, MaskingCollator
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


def build_loader(args):
    return DataLoader(
        Corpus(), batch_size=args.batch_size, shuffle=True, collate_fn=MaskingCollator()
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()

    torch.manual_seed(0)
    model = Encoder(gradient_checkpointing=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(args.epochs):
            model.train()
            for batch in build_loader(args):
                logits = model(batch["input_ids"])
                loss = F.cross_entropy(
                    logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=IGNORE
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()

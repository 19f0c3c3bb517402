"""Trains a recognizer of dictation with CTC."""

import argparse

import torch
from collate import Utterances, collate
from encoder import AcousticEncoder
from torch import nn
from torch.utils.data import DataLoader


def train(args, model, loader, criterion, optimizer, scheduler):
    for epoch in range(args.epochs):
        total = 0.0
        for batch in loader:
            lengths = batch["feature_lengths"]
            log_probs = model(batch["features"], lengths)
            loss = criterion(
                log_probs.transpose(0, 1), batch["targets"], lengths, batch["target_lengths"]
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            scheduler.step()
            total += loss.item()
        print(f"epoch {epoch}: {total / len(loader):.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=6)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--clip", type=float, default=5.0)
    args = parser.parse_args()
    torch.manual_seed(0)
    loader = DataLoader(Utterances(26), batch_size=args.batch_size, collate_fn=collate)
    model = torch.compile(AcousticEncoder(), backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr, epochs=args.epochs, steps_per_epoch=len(loader)
    )
    train(args, model, loader, nn.CTCLoss(zero_infinity=True), optimizer, scheduler)


if __name__ == "__main__":
    main()

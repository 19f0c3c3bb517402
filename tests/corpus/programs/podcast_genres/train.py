"""Ratings of podcasts that do not give the country away."""

import argparse

import torch
from catalog import ratings, shuffled
from recommender import Recommender
from torch.nn import functional as F


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listeners", type=int, default=30)
    parser.add_argument("--podcasts", type=int, default=20)
    parser.add_argument("--count", type=int, default=70)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--reversal", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=2)
    return parser.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    data = ratings(args.count, args.listeners, args.podcasts, args.seed)
    model = Recommender(args.listeners, args.podcasts)
    tables, rest = model.tables_and_rest()
    optimizers = [torch.optim.SparseAdam(tables, lr=0.02), torch.optim.AdamW(rest, lr=3e-3)]
    step = 0
    for epoch in range(args.epochs):
        for batch in shuffled(data, args.batch_size, generator):
            stars, country = model(batch, args.reversal)
            rated = F.mse_loss(stars, batch.stars)
            told = F.cross_entropy(country, batch.country)
            for optimizer in optimizers:
                optimizer.zero_grad()
            (rated + told).backward()
            for optimizer in optimizers:
                optimizer.step()
            step += 1
            if step % 4 == 0:
                print(f"{epoch} {step} rated {rated.item():.3f} told {told.item():.3f}")


if __name__ == "__main__":
    main()

"""Learns to rank the next track."""

import torch
from ranking import CURRICULUM, LOSSES
from sampler import Sampler
from tables import Listening


def main(users=40, tracks=90):
    torch.manual_seed(0)
    model, sampler = Listening(users, tracks), Sampler(users, tracks)
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
    for name in CURRICULUM:
        for who, candidates in sampler.plays(batches=5):
            scores = model(who, candidates)
            loss = LOSSES[name](scores)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        sampler.round += 1


if __name__ == "__main__":
    main()

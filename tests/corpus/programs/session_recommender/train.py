"""Trains the recommender on a stream of sessions."""

import torch
from model import Recommender
from sessions import stream
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = Recommender()
    score = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    hits = 0
    for session in stream(batches=12):
        scores = score(session.viewed, session.profile)
        loss = functional.cross_entropy(scores, session.bought)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        hits += (scores.argmax(1) == session.bought).sum().item()
    print(f"{hits} hits")


if __name__ == "__main__":
    main()

"""Meta-learn a start for the head of a classifier."""

import argparse

import torch
from meta import ANIL, meta_epoch, meta_test
from schedule import InnerSchedule
from tasks import PondTasks


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ways", type=int, default=4)
    parser.add_argument("--shots", type=int, default=3)
    parser.add_argument("--queries", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=8)
    parser.add_argument("--meta-lr", type=float, default=5e-3)
    parser.add_argument("--hidden", type=int, default=16)
    return parser.parse_args()


def main():
    args = parse()
    torch.manual_seed(2)
    tasks = PondTasks(args.ways, args.shots, args.queries)
    held_out = PondTasks(args.ways, args.shots, args.queries, seed=99)
    learner = ANIL(tasks.dim, args.hidden, args.ways)
    optimizer = torch.optim.Adam(learner.parameters(), lr=args.meta_lr)
    anneal = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    schedule = InnerSchedule()
    for epoch in range(args.epochs):
        loss, accuracy = meta_epoch(learner, optimizer, tasks, schedule, args.episodes)
        schedule.end_epoch()
        anneal.step()
        tested = meta_test(learner, held_out, schedule, 4)
        print(f"epoch {epoch}: loss {loss:.3f}, {accuracy:.3f}, held out {tested:.3f}")


if __name__ == "__main__":
    main()

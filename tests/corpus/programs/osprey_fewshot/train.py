"""ANIL for few shots of birds of prey."""

import argparse

import torch
import torch.nn.functional as F
from episodes import Birds, EpisodeSampler
from learner import InnerLoop
from schedule import InnerSteps


def run(args):
    torch.manual_seed(args.seed)
    birds = Birds()
    train = EpisodeSampler(birds, args.ways, args.shots, args.queries, seed=1)
    test = EpisodeSampler(birds, args.ways, args.shots, args.queries, seed=2)
    learner = InnerLoop(args.ways)
    meta = torch.optim.Adam(learner.parameters(), lr=args.meta_lr)
    inner_steps = InnerSteps(1, args.max_inner, args.phase)

    for iteration in range(args.iterations):
        steps = inner_steps(iteration)
        meta.zero_grad()
        losses = []
        for _task in range(args.tasks):
            support, support_labels, query, query_labels = train()
            logits = learner(support, support_labels, query, steps)
            losses.append(F.cross_entropy(logits, query_labels) / args.tasks)
        total = sum(losses)
        total.backward()
        meta.step()
        if iteration % 2 == 0:
            print(f"iteration {iteration}: {total.item():.3f} after {steps} steps")

    with torch.no_grad():
        right = 0.0
        for _ in range(5):
            support, support_labels, query, query_labels = test()
            guess = learner(support, support_labels, query, args.max_inner).argmax(-1)
            right += (guess == query_labels).float().mean().item() / 5
    print(f"accuracy {right:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ways", type=int, default=4)
    parser.add_argument("--shots", type=int, default=3)
    parser.add_argument("--queries", type=int, default=5)
    parser.add_argument("--tasks", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--phase", type=int, default=2)
    parser.add_argument("--max-inner", type=int, default=3)
    parser.add_argument("--meta-lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
        run(arguments)

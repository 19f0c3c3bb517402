"""Trains an optimizer by the losses that it reaches."""

import torch
from optimizee import problems
from rule import Rule
from torch.optim.lr_scheduler import CosineAnnealingLR

EPISODES = 5
UNROLL = 4
LR = 0.01
CLIP = 1.0
DISCOUNT = 0.95


def episode(rule, problem, theta):
    state = rule.start(theta)
    history = []
    for t in range(UNROLL):
        update, state = rule(problem.gradient(theta).detach(), state)
        theta = theta + update
        loss = problem.value(theta).mean()
        (loss * DISCOUNT ** (UNROLL - 1 - t)).backward(retain_graph=True)
        history.append(loss.detach())
    return theta.detach(), history


@torch.no_grad()
def compare(rule, problem, theta):
    plain, state = theta.clone(), rule.start(theta)
    for _ in range(2 * UNROLL):
        update, state = rule(problem.gradient(theta), state)
        theta = theta + update
        plain = plain - 0.1 * problem.gradient(plain)
    return problem.value(theta).mean().item(), problem.value(plain).mean().item()


def main():
    torch.manual_seed(6)
    rule = Rule()
    optimizer = torch.optim.Adam(rule.parameters(), lr=LR)
    schedule = CosineAnnealingLR(optimizer, EPISODES)
    for p in rule.parameters():
        p.grad = torch.zeros_like(p)
    for number, (problem, theta) in enumerate(problems(EPISODES)):
        optimizer.zero_grad(set_to_none=False)
        _, history = episode(rule, problem, theta)
        norm = torch.nn.utils.clip_grad_norm_(rule.parameters(), CLIP)
        optimizer.step()
        schedule.step()
        print(f"episode {number}: {history[0]:.3f} -> {history[-1]:.3f}, norm {norm:.3f}")
    learnt, plain = zip(*(compare(rule, *each) for each in problems(3, seed=1)), strict=True)
    print(f"learnt {sum(learnt) / 3:.3f}, plain {sum(plain) / 3:.3f}")


if __name__ == "__main__":
    main()

"""Teaches an arm to pick apples through its own kinematics."""

import torch
from arm import apples, hand
from policy import Horizon, Reach
from torch._dynamo import compiled_autograd


def cost(angles, start, apple, softness):
    """How far the hand is from the apple, and how far the arm was moved."""
    miss = torch.nn.functional.huber_loss(hand(angles), apple, delta=softness)
    return miss + 0.01 * (angles - start).square().mean()


def main(rounds=9):
    torch.manual_seed(0)
    policy, horizon = Reach(), Horizon()
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    softness = 1.0
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, apple in enumerate(apples(rounds)):
            start = torch.full((len(apple), 3), 0.2)
            loss = cost(policy(apple, start, horizon.moves), start, apple, softness)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            horizon.update(step, loss.item())
            if step == 6:
                softness = 0.5


if __name__ == "__main__":
    main()

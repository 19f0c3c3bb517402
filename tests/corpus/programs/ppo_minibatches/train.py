"""Proximal policy optimization on shuffled minibatches of one rollout."""

import torch
from rollout import ActorCritic, collect
from torch._dynamo import compiled_autograd

ROLLOUT, MINIBATCH, EPOCHS, UPDATES = 80, 32, 2, 3


def loss_of(agent, batch, clip_range, entropy_weight):
    observations, actions, old_log_probs, returns, advantages = batch
    policy, values = agent(observations)
    ratio = (policy.log_prob(actions) - old_log_probs).exp()
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
    value_loss = (returns - values).square().mean()
    return policy_loss + 0.5 * value_loss - entropy_weight * policy.entropy().mean()


def update(agent, optimizer, rollout, clip_range, entropy_weight):
    for _ in range(EPOCHS):
        order = torch.randperm(ROLLOUT)
        for start in range(0, ROLLOUT, MINIBATCH):
            chosen = order[start : start + MINIBATCH]
            batch = [column[chosen] for column in rollout]
            loss = loss_of(agent, batch, clip_range, entropy_weight)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def main():
    torch.manual_seed(0)
    agent = ActorCritic()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for number in range(UPDATES):
            remaining = 1 - number / UPDATES
            for group in optimizer.param_groups:
                group["lr"] = 1e-3 * remaining
            rollout = collect(agent, ROLLOUT)
            update(agent, optimizer, rollout, 0.2 * remaining, 0.01 * remaining)


if __name__ == "__main__":
    main()

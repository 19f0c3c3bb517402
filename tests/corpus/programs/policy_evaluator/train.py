"""Advantage actor-critic with evaluation and saliency maps."""

import torch
from evaluation import Evaluator, Saliency
from policy import Policy
from torch._dynamo import compiled_autograd
from torch.nn import functional


def rollout(policy, rows=24):
    observations = torch.randn(rows, 5)
    actions = policy.act(observations)
    rewards = (actions == observations[:, :3].argmax(-1)).float()
    return observations, actions, rewards


def loss_of(policy, observations, actions, rewards):
    logits, values = policy(observations)
    advantages = rewards - values.detach()
    log_probabilities = functional.log_softmax(logits, -1)
    chosen = log_probabilities.gather(1, actions[:, None]).squeeze(1)
    entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
    return -(chosen * advantages).mean() + functional.mse_loss(values, rewards) - 0.01 * entropy


def main(updates=9):
    torch.manual_seed(0)
    policy = Policy()
    optimizer = torch.optim.RMSprop(policy.parameters(), lr=3e-3)
    evaluator, saliency = Evaluator(), Saliency()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for update in range(updates):
            observations, actions, rewards = rollout(policy)
            observations.requires_grad_(saliency.wants(update))
            optimizer.zero_grad()
            loss_of(policy, observations, actions, rewards).backward()
            saliency.store(update, observations)
            optimizer.step()
            evaluator(policy, update)


if __name__ == "__main__":
    main()

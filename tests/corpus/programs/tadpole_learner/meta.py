import torch
import torch.nn as nn
import torch.nn.functional as F
from adapt import adapt_head


class ANIL(nn.Module):
    """Almost no inner loop: the body is shared, only the head is adapted."""

    def __init__(self, dim, hidden, ways):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden))
        self.norm = nn.LayerNorm(hidden)
        self.start = nn.Parameter(0.01 * torch.randn(hidden, ways))
        self.log_scale = nn.Parameter(torch.zeros(()))

    def features(self, x):
        return self.norm(self.body(x))

    def forward(self, episode, num_steps, inner_lr):
        support = self.features(episode.support)
        head = adapt_head(self.start, support, episode.support_y, num_steps, inner_lr)
        logits = self.features(episode.query) @ head * self.log_scale.exp()
        return logits, F.cross_entropy(logits, episode.query_y)


def meta_epoch(learner, optimizer, tasks, schedule, count):
    """One pass: each episode has a step of the outer optimizer."""
    losses, hits = [], []
    for _ in range(count):
        episode = tasks.sample()
        optimizer.zero_grad(set_to_none=True)
        logits, loss = learner(episode, schedule.steps(), schedule.lr)
        loss.backward()
        nn.utils.clip_grad_value_(learner.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
        hits.append((logits.argmax(1) == episode.query_y).float().mean())
    return torch.stack(losses).mean(), torch.stack(hits).mean()


@torch.no_grad()
def meta_test(learner, tasks, schedule, count):
    accuracy = torch.zeros(())
    for _ in range(count):
        episode = tasks.sample()
        logits, _ = learner(episode, 2 * schedule.max_steps, schedule.lr)
        accuracy += (logits.argmax(1) == episode.query_y).float().mean()
    return accuracy / count

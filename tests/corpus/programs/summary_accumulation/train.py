"""Trains a summarizer with an effective batch that does not fit into memory."""

from dataclasses import dataclass, field

import torch
from model import Summarizer
from torch._dynamo import compiled_autograd
from torch.nn import functional


@dataclass
class TrainingState:
    step: int = 0
    micro_step: int = 0
    losses: list = field(default_factory=list)


@dataclass(frozen=True)
class TrainingConfig:
    micro_batch: int = 4
    accumulate: int = 4
    optimizer_steps: int = 3
    max_norm: float = 0.5


def articles(config):
    for _ in range(config.optimizer_steps * config.accumulate):
        article = torch.randint(0, 40, (config.micro_batch, 14))
        yield article, article[:, ::2]


def train(config, model, optimizer):
    state = TrainingState()
    for article, summary in articles(config):
        logits = model(article, summary[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), summary[:, 1:].flatten())
        (loss / config.accumulate).backward()
        state.losses.append(loss.detach())
        state.micro_step += 1
        if state.micro_step % config.accumulate == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), config.max_norm)
            optimizer.step()
            optimizer.zero_grad()
            state.step += 1
            recent = torch.stack(state.losses[-config.accumulate :])
            print(f"step {state.step}: {recent.mean().item():.3f}")


def main():
    torch.manual_seed(0)
    model = Summarizer()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        train(TrainingConfig(), model, optimizer)


if __name__ == "__main__":
    main()

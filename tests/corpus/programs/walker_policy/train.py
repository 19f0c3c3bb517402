"""Actor-critic on recorded walks."""

import torch
from agent import Agent
from callbacks import EntropyDecay, Report


def walks(updates, batch=24):
    generator = torch.Generator().manual_seed(4)
    for _ in range(updates):
        seen = torch.randn(batch, 6, generator=generator)
        done = seen[:, :2] + 0.3 * torch.randn(batch, 2, generator=generator)
        yield seen, done, -done.square().sum(1)


def main(updates=6):
    torch.manual_seed(0)
    agent = Agent()
    callbacks = [EntropyDecay(), Report()]
    loss_of = torch.compile(agent, backend="eager")
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)
    for update, (seen, done, returns) in enumerate(walks(updates)):
        loss = loss_of(seen, done, returns)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for callback in callbacks:
            callback.after_update(agent, update)


if __name__ == "__main__":
    main()

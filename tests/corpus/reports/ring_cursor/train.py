"""Fill a replay buffer while an agent acts; writing to it is compiled."""
import threading

import torch
import torch.nn.functional as F
from torch import nn


class RingBuffer:
    def __init__(self, size, width):
        self.size = size
        self.storage = torch.zeros(size, width)
        self.cursor = torch.zeros((), dtype=torch.long)
        self.lock = threading.RLock()

    def extend(self, rows):
        with self.lock:
            index = (self.cursor + torch.arange(rows.shape[0])) % self.size
            self.storage.index_copy_(0, index, rows)
            self.cursor.copy_((self.cursor + rows.shape[0]) % self.size)
        return index

    def sample(self, rows):
        return self.storage[torch.randint(self.size, (rows,))]


def main():
    torch.manual_seed(13)
    buffer = RingBuffer(64, 6)
    agent = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)

    @torch.compile(backend="eager")
    def store(observation, reward):
        rows = torch.cat([observation, reward], -1)
        return buffer.extend(rows.clamp(-3, 3))

    for step in range(10):
        observation = torch.randn(8, 5)
        store(observation, observation.sum(-1, keepdim=True).sin())
        batch = buffer.sample(16)
        loss = F.mse_loss(agent(batch[:, :5]), batch[:, 5:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()

"""Predicts how long each boat waits."""

import itertools

import torch
from average import Slow
from boats import queues
from torch import nn

BLOCK = 4


class LockKeeper(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.boat = nn.Linear(5, width)
        self.group = nn.Linear(width, width)
        self.wait = nn.Linear(2 * width, 1)

    def forward(self, lengths, levels):
        boats = torch.relu(self.boat(torch.cat([lengths[:, None] / 20, levels], -1)))
        short = len(boats) % BLOCK
        if short:
            boats = nn.functional.pad(boats, (0, 0, 0, BLOCK - short))
        blocks = boats.view(-1, BLOCK, boats.shape[-1])
        shared = self.group(blocks.amax(1, keepdim=True)).expand_as(blocks)
        together = torch.cat([blocks, shared], -1).flatten(0, 1)[: len(lengths)]
        return self.wait(together).squeeze(-1)


def main(steps=15):
    torch.manual_seed(11)
    keeper = LockKeeper()
    slow = Slow(keeper)
    forward = torch.compile(keeper, backend="eager")
    optimizer = torch.optim.SGD(keeper.parameters(), lr=0.05)
    for queue in itertools.islice(queues(), steps):
        loss = nn.functional.l1_loss(forward(queue.lengths, queue.levels), queue.waited)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slow.update(keeper)
    print(f"loss {loss.item():.3f}, decay {slow.decay:.2f}")


if __name__ == "__main__":
    main()

"""Flow at the outfall of a sewer network, by passing messages from pipe to pipe."""

import torch
import torch.nn.functional as F
from torch import nn

PIPES, FEATURES, HIDDEN = 24, 5, 16
LONGEST = 9
generator = torch.Generator().manual_seed(11)


def network():
    """A random tree: every pipe drains into an earlier one."""
    downstream = [0]
    depth = [0]
    for pipe in range(1, PIPES):
        reach = int(torch.randint(3, 24, (), generator=generator))
        into = int(torch.randint(max(0, pipe - reach), pipe, (), generator=generator))
        downstream.append(into)
        depth.append(depth[into] + 1)
    flow = torch.zeros(PIPES, PIPES)
    flow[downstream[1:], range(1, PIPES)] = 1.0
    return flow, min(max(depth), LONGEST)


def sample():
    flow, hops = network()
    pipes = torch.rand(PIPES, FEATURES, generator=generator)
    outfall = (pipes[:, 0] * pipes[:, 1]).sum() / PIPES
    return pipes, flow, hops, outfall


class SewerNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(FEATURES, HIDDEN)
        self.message = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.update = nn.Linear(2 * HIDDEN, HIDDEN)
        self.readout = nn.Linear(HIDDEN, 1)

    def forward(self, pipes, flow, hops):
        h = torch.tanh(self.encode(pipes))
        for _ in range(hops):
            m = flow @ self.message(h)
            h = torch.tanh(self.update(torch.cat([h, m], dim=-1)))
        return self.readout(h[0]).squeeze(-1)


torch.manual_seed(0)
model = SewerNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)

total = 0.0
for step in range(24):
    pipes, flow, hops, outfall = sample()
    predicted = model(pipes, flow, hops)
    loss = F.mse_loss(predicted, outfall)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    total += loss.item()
    if step % 6 == 5:
        print(f"step {step + 1:3d}  hops {hops}  loss {total / 6:.4f}")
        total = 0.0

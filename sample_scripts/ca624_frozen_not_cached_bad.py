"""Freezing keeps the graph out of AOTAutogradCache.

Look for: at each start AOTAutogradCache is bypassed for the net.
"""

import torch
import torch._inductor.config

torch._inductor.config.freezing = True  # <- CA624


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(4, 8)

    def forward(self, x):
        return torch.relu(self.up(x))


net = torch.compile(Net().eval())
with torch.no_grad():
    print(net(torch.ones(6, 4)).shape)

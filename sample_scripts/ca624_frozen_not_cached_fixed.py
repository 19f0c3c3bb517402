"""The same without freezing.

Look for: the second start takes the graph from AOTAutogradCache.
"""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(4, 8)

    def forward(self, x):
        return torch.relu(self.up(x))


net = torch.compile(Net().eval())
with torch.no_grad():
    print(net(torch.ones(6, 4)).shape)

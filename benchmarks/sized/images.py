"""Images of several resolutions: a network of convolutions."""

import random

import torch

torch.set_num_threads(1)
torch.manual_seed(0)
random.seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 16, 3, padding=1),
    torch.nn.ReLU(),
    torch.nn.Conv2d(16, 24, 3, stride=2, padding=1),
    torch.nn.ReLU(),
    torch.nn.Conv2d(24, 32, 3, stride=2, padding=1),
    torch.nn.ReLU(),
)


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = model
        self.head = torch.nn.Linear(32, 10)

    def forward(self, images):
        return self.head(self.body(images).mean((2, 3)))


net = torch.compile(Classifier(), backend="aot_eager", dynamic=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(120):
    height, width = random.choice([(64, 96), (96, 64), (96, 96), (64, 64), (96, 128)])
    loss = net(torch.randn(4, 3, height, width)).logsumexp(-1).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

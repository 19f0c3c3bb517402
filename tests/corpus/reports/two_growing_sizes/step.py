import torch
from torch.nn import functional as F


class TrainStep:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.backward = torch.compile(self.forward_backward, backend="eager")

    def forward_backward(self, words, tags):
        scores = self.net(words)
        loss = F.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=-100)
        loss.backward()
        return loss.detach()

    def __call__(self, words, tags):
        loss = self.backward(words, tags)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()

import torch
from surrogate import SURROGATES
from torch import nn


class LeakyNeuron(nn.Module):
    """Leaky integrate and fire, reset by subtraction."""

    def __init__(self, beta=0.85, threshold=1.0, surrogate="fast_sigmoid"):
        super().__init__()
        self.beta = nn.Parameter(torch.tensor(beta))
        self.threshold = threshold
        self.surrogate = surrogate

    def init_leaky(self, like):
        return torch.zeros_like(like)

    def forward(self, current, mem):
        spike_grad = SURROGATES[self.surrogate]()
        mem = self.beta.clamp(0, 1) * mem + current
        spikes = spike_grad(mem - self.threshold)
        return spikes, mem - spikes.detach() * self.threshold


class SpikingNet(nn.Module):
    def __init__(self, inputs=25, hidden=32, classes=4, **neuron):
        super().__init__()
        self.fc1, self.lif1 = nn.Linear(inputs, hidden), LeakyNeuron(**neuron)
        self.fc2, self.lif2 = nn.Linear(hidden, classes), LeakyNeuron(**neuron)

    def forward(self, events):
        spk_rec = []
        mem1 = mem2 = None
        for frame in events.unbind(0):
            cur1 = self.fc1(frame)
            mem1 = self.lif1.init_leaky(cur1) if mem1 is None else mem1
            spk1, mem1 = self.lif1(cur1, mem1)
            cur2 = self.fc2(spk1)
            mem2 = self.lif2.init_leaky(cur2) if mem2 is None else mem2
            spk2, mem2 = self.lif2(cur2, mem2)
            spk_rec.append(spk2)
        return torch.stack(spk_rec)

import torch
from torch import nn


class GrowingNet(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))

    @torch.no_grad()
    def widen(self, units):
        """More hidden units; the new ones start with no influence."""
        old_hidden, old_out = self.hidden, self.out
        width = old_hidden.out_features + units
        hidden = nn.Linear(old_hidden.in_features, width)
        out = nn.Linear(width, 1)
        hidden.weight[:old_hidden.out_features] = old_hidden.weight
        hidden.bias[:old_hidden.out_features] = old_hidden.bias
        out.weight.zero_()
        out.weight[:, :old_hidden.out_features] = old_out.weight
        out.bias.copy_(old_out.bias)
        self.hidden, self.out = hidden, out

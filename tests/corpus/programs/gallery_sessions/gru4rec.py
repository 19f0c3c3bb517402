import torch
from torch import nn


class GRU4Rec(nn.Module):
    def __init__(self, num_items, hidden_size=16, dropout=0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.item_emb = nn.Embedding(num_items, hidden_size)
        self.cell = nn.GRUCell(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)
        self.item_bias = nn.Parameter(torch.zeros(num_items))
        self.state = None

    def start(self, batch_size):
        self.state = torch.zeros(batch_size, self.hidden_size)

    def forward(self, items, resets):
        hidden, outputs = self.state, []
        for step in range(items.shape[0]):
            hidden = hidden.masked_fill(resets[step].unsqueeze(-1), 0.0)
            hidden = self.cell(self.drop(self.item_emb(items[step])), hidden)
            outputs.append(hidden)
        self.state = hidden.detach()
        return torch.stack(outputs)

    def score(self, outputs, candidates):
        weights, bias = self.item_emb(candidates), self.item_bias[candidates]
        return outputs @ weights.T + bias

import torch
import torch.nn.functional as F
from torch import nn


def norm(x):
    return F.rms_norm(x, (x.size(-1),))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up = nn.Parameter(torch.empty(dim, dim).uniform_(-0.2, 0.2))
        self.down = nn.Parameter(torch.zeros(dim, dim))
        self.lambdas = nn.Parameter(torch.tensor([1.0, 0.0]))

    def forward(self, x, x0):
        x = self.lambdas[0] * x + self.lambdas[1] * x0
        shifted = F.pad(x, (0, 0, 1, 0))[:, :-1]
        return x + F.relu(norm(x + shifted) @ self.up).square() @ self.down


class Mixer(nn.Module):
    """Predicts the next symbol from the few before it, one more for each block."""

    def __init__(self, vocab_size, num_layers, model_dim):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, model_dim)
        self.blocks = nn.ModuleList([Block(model_dim) for _ in range(num_layers)])
        self.lm_head = nn.Linear(model_dim, vocab_size, bias=False)
        nn.init.zeros_(self.lm_head.weight)

    def forward(self, input_seq, target_seq):
        x = x0 = norm(self.embed(input_seq))
        for block in self.blocks:
            x = block(x, x0)
        logits = self.lm_head(norm(x))
        logits = 15 * torch.tanh(logits / 15)
        return F.cross_entropy(logits.flatten(0, 1), target_seq.flatten())

import torch
from options import load
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 8)
        self.out = nn.Linear(8, 30)

    def forward(self, ids):
        hidden = self.embed(ids)
        return self.out(hidden.cumsum(1) / 10)


def batch(length):
    return torch.randint(30, (2, length))


options = load()
torch.manual_seed(0)
reader = torch.compile(Reader().eval(), **options["compile"])
with torch.no_grad():
    for length in options["curriculum"]:
        for _ in range(2):
            print(length, reader(batch(length)).mean().item())

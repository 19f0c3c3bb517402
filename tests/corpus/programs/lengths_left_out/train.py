import torch
import torch.nn.functional as F
from torch import nn

WARMED = (16, 32)
LENGTHS = (16, 32, 48, 64)


class ByteModel(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.head = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, vocab))

    def forward(self, ids):
        scores = self.head(self.embedding(ids[:, :-1]))
        return F.cross_entropy(scores.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)


def padded(longest):
    length = next(one for one in LENGTHS if one >= longest)
    ids = torch.randint(1, 50, (4, length))
    ids[:, longest:] = 0
    return ids


def main():
    torch.manual_seed(0)
    model = ByteModel(50, 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    compiled = torch.compile(model, dynamic=False, backend="aot_eager")
    for length in WARMED:
        compiled(torch.ones(4, length, dtype=torch.long)).backward()
    optimizer.zero_grad()
    for step, longest in enumerate((12, 30, 45, 60, 14, 28, 47, 61, 10, 31, 40, 55)):
        loss = compiled(padded(longest))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()

"""Average over the tokens of a batch with a mask that is made from lengths."""
import torch
import torch.nn.functional as F
from torch import nn


def sequence_mask(lengths, max_len=None):
    max_len = max_len or lengths.max().item()
    return torch.arange(max_len).expand(lengths.shape[0], max_len) < lengths[:, None]


class Pooler(nn.Module):
    def __init__(self, words=40, width=12):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.head = nn.Linear(width, 2)

    def forward(self, ids, lengths):
        x = self.embed(ids)
        mask = sequence_mask(lengths)[..., None]
        return self.head((x[:, : mask.shape[1]] * mask).sum(1) / lengths[:, None])


def main():
    torch.manual_seed(35)
    net = Pooler()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(10):
        lengths = torch.randint(3, 21, (6,))
        ids, labels = torch.randint(40, (6, 20)), torch.randint(2, (6,))
        loss = F.cross_entropy(model(ids, lengths), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()

"""Train a recurrent cell over chunks of text of different length."""
import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self, words=20, width=8):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.mix = nn.Linear(2 * width, width)
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        h = torch.zeros(ids.shape[0], 8)
        for column in ids.T:
            h = torch.tanh(self.mix(torch.cat((self.embed(column), h), -1)))
        return self.head(h)


def chunks():
    for length in (3, 5, 4, 6, 2, 5, 3, 4):
        ids = torch.randint(1, 20, (6, length))
        yield ids, ids.sum(1) % 20


def main():
    torch.manual_seed(34)
    net = Cell()
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for ids, target in chunks():
        loss = nn.functional.cross_entropy(net(ids), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()

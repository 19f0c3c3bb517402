"""Supervised fine-tuning on packed, padding-free batches."""
import torch
import torch.nn as nn


class Packed(nn.Module):
    def __init__(self, words=50, width=12):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.head = nn.Linear(width, words)

    def forward(self, ids, positions):
        q, k, v = self.qkv(self.embed(ids)).chunk(3, -1)
        mask = torch.ones(ids.shape[0], ids.shape[0], dtype=torch.bool).tril()
        if not (torch.diff(positions) >= 0).all():
            document = (positions == 0).cumsum(0)
            mask = mask & (document[:, None] == document[None, :])
        score = (q @ k.T / 3.5).masked_fill(~mask, -1e9)
        return self.head(score.softmax(-1) @ v)


def pack(lengths):
    ids = torch.randint(50, (sum(lengths),))
    return ids, torch.cat([torch.arange(n) for n in lengths])


def main():
    torch.manual_seed(40)
    net = Packed()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.AdamW(net.parameters(), lr=0.01)
    for lengths in ([10, 14], [24], [6, 6, 12], [20, 4]):
        ids, positions = pack(lengths)
        loss = nn.functional.cross_entropy(model(ids, positions)[:-1], ids[1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()

"""A decoder whose layers look at all tokens or at a window, in turn; layers are compiled."""
import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, width, kind, window=4):
        super().__init__()
        self.kind = kind
        self.window = window
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        place = torch.arange(x.shape[1])
        allowed = place[:, None] >= place[None, :]
        if self.kind == "sliding":
            allowed = allowed & (place[:, None] - place[None, :] < self.window)
        return x + F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)


class Decoder(nn.Module):
    def __init__(self, depth=6, width=16, words=40):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = nn.ModuleList(Layer(width, ("full", "sliding")[n % 2]) for n in range(depth))
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def main():
    torch.manual_seed(47)
    net = Decoder()
    for layer in net.layers:
        layer.compile(backend="eager", fullgraph=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(4):
        ids = torch.randint(40, (2, 16))
        loss = F.cross_entropy(net(ids).flatten(0, 1), ids.roll(-1, 1).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()

"""Watch the gradient of the embedding while the backward is compiled."""
import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=30, width=12, tags=5):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.Tanh())
        self.head = nn.Linear(width, tags)

    def forward(self, ids):
        self.embedded = self.embed(ids)
        self.embedded.retain_grad()
        return self.head(self.body(self.embedded))


def main():
    torch.manual_seed(28)
    net = Tagger()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    noise = []
    for _ in range(6):
        ids, tags = torch.randint(30, (4, 9)), torch.randint(5, (4, 9))
        loss = F.cross_entropy(net(ids).flatten(0, 1), tags.flatten())
        optimizer.zero_grad()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
            loss.backward()
        noise.append(net.embedded.grad.norm())
        optimizer.step()
    print(f"loss {loss.item():.5f} noise {torch.stack(noise).mean().item():.5f}")


if __name__ == "__main__":
    main()

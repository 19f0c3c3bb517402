import torch
import torch.nn.functional as F
from precond import InputStats
from torch import nn


class TinyLM(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.up = nn.Linear(dim, 2 * dim)
        self.down = nn.Linear(2 * dim, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = x + self.down(F.relu(self.up(x)).square())
        return self.head(x)


def main():
    torch.manual_seed(0)
    model = TinyLM(16, 12)
    stats = InputStats(model, every=4)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    fast = torch.compile(model, backend="aot_eager")
    g = torch.Generator().manual_seed(1)
    for step in range(12):
        tokens = torch.randint(0, 16, (4, 9), generator=g)
        logits = fast(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        stats.precondition()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()

"""Mixed-precision training where the precision context is an argument of the compiled step."""
import torch
from torch import nn
import torch.nn.functional as F


class Tagger(nn.Module):
    def __init__(self, vocab=50, dim=32, tags=6):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.tags = nn.Linear(dim, tags)

    def forward(self, tokens):
        x = self.embed(tokens)
        return self.tags(x + self.mix(x))


def precision(enabled=True):
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled)


def forward_loss(model, tokens, tags, context):
    with context:
        logits = model(tokens)
    return F.cross_entropy(logits.float().flatten(0, 1), tags.flatten())


def main():
    torch.manual_seed(15)
    generator = torch.Generator().manual_seed(15)
    model = Tagger()
    compiled = torch.compile(forward_loss, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(11):
        tokens = torch.randint(50, (8, 12), generator=generator)
        loss = compiled(model, tokens, tokens % 6, precision())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()

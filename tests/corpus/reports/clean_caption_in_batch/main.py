"""Trains a captioned-picture encoder; the batches carry their texts along for the log."""
import torch
from torch import nn
import torch.nn.functional as F

WORDS = "red blue old new small tall round flat bright dark".split()


class Encoder(nn.Module):
    def __init__(self, vocab=len(WORDS), dim=16):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim)
        self.picture = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, batch):
        text = F.normalize(self.embed(batch["tokens"]), dim=1)
        picture = F.normalize(self.picture(batch["pixels"]), dim=1)
        return picture @ text.t() / 0.1


def batches(count, generator):
    for number in range(count):
        tokens = torch.randint(len(WORDS), (12, 3), generator=generator)
        pixels = F.one_hot(tokens, len(WORDS)).float().sum(dim=1).repeat(1, 2)
        yield {"tokens": tokens, "pixels": pixels, "number": number, "weight": 1 / (1 + number),
               "caption": " ".join(WORDS[i] for i in tokens[0])}


def main():
    torch.manual_seed(32)
    generator = torch.Generator().manual_seed(32)
    model = Encoder()
    compiled = torch.compile(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for batch in batches(10, generator):
        logits = compiled(batch)
        loss = F.cross_entropy(logits, torch.arange(len(logits)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{batch['number']} {batch['caption']!r} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()

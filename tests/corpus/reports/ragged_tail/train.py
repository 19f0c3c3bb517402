"""Language model on a small corpus."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TinyLM(nn.Module):
    def __init__(self, words=64, width=24):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids)))


def token_loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def main():
    torch.manual_seed(11)
    corpus = torch.randint(64, (13, 17))
    loader = DataLoader(TensorDataset(corpus), batch_size=4, shuffle=True)
    model = TinyLM()
    step = torch.compile(model, backend="aot_eager")
    loss_fn = torch.compile(token_loss, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(3):
        for (ids,) in loader:
            loss = loss_fn(step(ids[:, :-1]), ids[:, 1:])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        print(f"{epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()

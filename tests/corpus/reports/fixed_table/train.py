"""Fine-tune a chat model; the sequence dimension is marked for the compiler."""
import torch
import torch.nn.functional as F
from torch import nn


class Chat(nn.Module):
    def __init__(self, words=40, width=12, context=24):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.place = nn.Parameter(torch.randn(context, width) / 10)
        self.body = nn.Linear(width, width)
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        x = self.embed(ids) + self.place
        return self.head(F.relu(self.body(x)))


def batches():
    for _ in range(4):
        ids = torch.randint(40, (2, 24))
        torch._dynamo.mark_dynamic(ids, 1)
        yield ids


def main():
    torch.manual_seed(45)
    net = Chat()
    model = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for ids in batches():
        loss = F.cross_entropy(model(ids).flatten(0, 1), ids.roll(-1, 1).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()

"""A compiled model writes a text between the steps of its training: another call, other sizes."""

# finds CA102 /runs it uncompiled/
# never /last batch/
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(20, 8), nn.Linear(8, 20)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.head(self.embed(words).cumsum(1))


def write(model: nn.Module, words: torch.Tensor) -> torch.Tensor:
    for _ in range(6):
        scores = model(words)[:, -1]
        words = torch.cat([words, scores.argmax(-1, keepdim=True)], 1)  # <- CA102
    return words


model = torch.compile(Model(), backend="eager")
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(6):
    words = torch.randint(0, 20, (8, 12))
    nn.functional.cross_entropy(model(words).transpose(1, 2), words.roll(-1, 1)).backward()
    optimizer.step()
    optimizer.zero_grad()
    if step == 3:
        write(model, words[:1, :3])

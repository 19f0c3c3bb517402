"""The last batch has 2 texts instead of 4; the loss sees their words flattened."""

# finds CA101 /drop_last/
# never /\b(160|80)\b/
import torch
from torch import nn
from torch.utils.data import DataLoader

torch._dynamo.config.compiled_autograd = True
embed, out = nn.Embedding(11, 6), nn.Linear(6, 11)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


loader = DataLoader(torch.randint(0, 11, (18, 40)), batch_size=4)  # <- CA101
for _ in range(2):
    for words in loader:
        embed.zero_grad()
        out.zero_grad()
        scores = out(embed(words)).view(-1, 11)
        backward(nn.functional.cross_entropy(scores, words.view(-1)))

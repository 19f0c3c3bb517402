"""A compiled forward with words of several lengths; the longest comes on a hit."""

# finds CA102 /dynamic/
# never /\b(40|56|36|52|120)\b/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(11, 6), nn.Linear(6, 11)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.out(self.embed(words)).view(-1, 11)


model = Tagger()
compiled = torch.compile(model, backend="aot_eager")


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for length in (10, 14, 9, 13, 30):
    words = torch.randint(0, 11, (4, length))  # <- CA102
    model.zero_grad()
    backward(nn.functional.cross_entropy(compiled(words), words.view(-1)))

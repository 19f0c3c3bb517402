"""Texts of several lengths, whose words are flattened before the loss."""

# finds CA102 /pad/
# never /\b(72|96|136|168|232)\b/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
embed, out = nn.Embedding(11, 6), nn.Linear(6, 11)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for length in (12, 17, 9, 21, 13, 29, 16):
    words = torch.randint(0, 11, (8, length))  # <- CA102
    embed.zero_grad()
    out.zero_grad()
    scores = out(embed(words)).view(-1, 11)
    backward(nn.functional.cross_entropy(scores, words.view(-1)))

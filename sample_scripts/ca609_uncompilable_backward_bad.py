"""A backward of a packed sequence, which torch cannot compile. Ends with an error.

Its graph is captured; compiling it, torch would have to read lengths that a trace has not.

    ca run sample_scripts/ca609_uncompilable_backward_bad.py

What to look for: CA609 at the backward call.
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


def main() -> None:
    torch.manual_seed(0)
    embed, rnn = nn.Linear(4, 4), nn.GRU(4, 6, batch_first=True)
    lengths = torch.tensor([7, 5, 2])
    compiler = torch.compile(backend="eager")

    for step in range(3):
        inputs = embed(torch.randn(3, 7, 4))
        packed = pack_padded_sequence(inputs, lengths, batch_first=True)
        _, hidden = rnn(packed)
        loss = hidden.square().mean()
        with torch._dynamo.compiled_autograd._enable(compiler):
            loss.backward()  # <- CA609
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()

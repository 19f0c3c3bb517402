"""Sample completions for a batch of prompts, token by token, with a compiled step."""
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, words=32, width=16, longest=64):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.place = nn.Embedding(longest, width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, words))

    def forward(self, tokens, input_pos):
        return self.body(self.embed(tokens) + self.place(input_pos))


@torch.no_grad()
def generate(next_logits, prompts, new_tokens):
    rows, start = prompts.shape
    total = start + new_tokens
    positions = torch.arange(total).repeat(rows, 1)
    tokens = prompts[:, -1:].contiguous()
    produced = []
    for place in range(start, total):
        input_pos = positions[:, place, None]
        logits = next_logits(tokens, input_pos)[:, -1]
        tokens = logits.argmax(-1, keepdim=True)
        produced.append(tokens)
    return torch.cat(produced, 1)


def main():
    torch.manual_seed(2)
    policy = Policy().eval()
    next_logits = torch.compile(policy, backend="eager")
    checksum = 0
    for length in (9, 14, 11, 6):
        prompts = torch.randint(32, (4, length))
        checksum += int(generate(next_logits, prompts, 8).sum())
    print("checksum", checksum)


if __name__ == "__main__":
    main()

"""Roll out answers for prompts; attention takes a rule that says who may look at whom."""
import torch
import torch.nn as nn


def prefix_rule(kind, prefix):
    """Everybody sees the prompt, the answer is causal."""
    name = f"{kind}:{prefix}"

    def rule(q, k):
        seen = (k <= q) | (k < prefix)
        return seen if name.startswith("prefix") else k <= q

    return rule


@torch.compile(backend="eager")
def attend(q, k, v, rule):
    n = q.shape[-2]
    at = torch.arange(n)
    allowed = rule(at[:, None], at[None, :])
    score = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return score.masked_fill(~allowed, float("-inf")).softmax(-1) @ v


class Policy(nn.Module):
    def __init__(self, words=40, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.head = nn.Linear(width, words)

    def forward(self, ids, rule):
        q, k, v = self.qkv(self.embed(ids)).chunk(3, -1)
        return self.head(attend(q, k, v, rule))


@torch.no_grad()
def main():
    torch.manual_seed(4)
    policy = Policy()
    total = 0.0
    for prompt in (3, 5, 6, 7, 9, 10, 11, 12, 14, 15):
        ids = torch.randint(40, (4, 20))
        logits = policy(ids, prefix_rule("prefix", prompt))
        total += logits.logsumexp(-1).mean().item()
    print(f"FINAL {total:.4f}")


if __name__ == "__main__":
    main()

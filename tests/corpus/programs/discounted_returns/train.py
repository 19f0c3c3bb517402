"""Returns of episodes of other lengths, by a Python loop in what the compiled loss calls."""

import torch


def discounted(rewards, gamma):
    total = torch.zeros(rewards.shape[0])
    out = []
    length = rewards.size(1)
    for t in reversed(range(length)):
        total = rewards[:, t] + gamma * total
        out.append(total)
    return torch.stack(out[::-1], 1)


@torch.compile(dynamic=True, backend="aot_eager")
def objective(logp, rewards):
    returns = discounted(rewards, 0.9)
    return -(logp * (returns - returns.mean())).mean()


def main():
    torch.manual_seed(0)
    for length in (4, 6, 5, 9, 7):
        loss = objective(torch.randn(3, length), torch.randn(3, length))
        print(length, round(loss.item(), 4))


main()

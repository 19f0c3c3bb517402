"""Count how many tokens are likelier than the sampled one, for the running requests."""
import torch


@torch.compile(backend="eager", dynamic=True)
def count_greater(logprobs, sampled):
    at = logprobs.gather(-1, sampled[:, None])
    return (logprobs > at).sum(-1) + 1


class Sampler:
    def __init__(self, words=40):
        self.weight = torch.randn(8, words)

    def __call__(self, hidden):
        logprobs = (hidden @ self.weight).log_softmax(-1)
        sampled = torch.multinomial(logprobs.exp(), 1).squeeze(-1)
        return sampled, count_greater(logprobs, sampled)


@torch.inference_mode()
def main():
    torch.manual_seed(44)
    sampler = Sampler()
    ranks = 0
    for running in (7, 7, 6, 4, 3, 1, 1):
        sampled, rank = sampler(torch.randn(running, 8))
        ranks += int(rank.sum())
    print(f"FINAL {ranks}")


if __name__ == "__main__":
    main()

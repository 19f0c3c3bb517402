"""Trains the chunk policy on made-up demonstrations and reports the parts of the loss."""
import torch

from policy import ChunkPolicy

EPOCHS = 3
BATCH = 32


def demonstrations(count, generator):
    obs = torch.randn(count, 14, generator=generator)
    mix = torch.randn(14, 30, generator=generator) / 4
    return obs, torch.tanh(obs @ mix).view(count, 5, 6)


def main():
    torch.manual_seed(11)
    generator = torch.Generator().manual_seed(5)
    obs, actions = demonstrations(160, generator)
    policy = ChunkPolicy()
    step = torch.compile(policy)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=3e-3)

    for epoch in range(EPOCHS):
        sums = {"l1": 0.0, "kl": 0.0}
        for first in range(0, len(obs), BATCH):
            o, a = obs[first:first + BATCH], actions[first:first + BATCH]
            noise = torch.randn(len(o), 8, generator=generator)
            loss, parts = step(o, a, noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            for name, value in parts.items():
                sums[name] += float(value)
        report = "  ".join(f"{k} {v / 5:.4f}" for k, v in sums.items())
        print(f"epoch {epoch}: {report}")


if __name__ == "__main__":
    main()

"""WGAN with a gradient penalty; the critic is compiled."""
import torch
from torch import nn


def penalty(critic, real, fake):
    mix = torch.rand(real.shape[0], 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    score = critic(between).sum()
    (slope,) = torch.autograd.grad(score, between, create_graph=True)
    return (slope.norm(dim=-1) - 1).square().mean()


def main():
    torch.manual_seed(42)
    generator = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
    net = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1))
    critic = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-2)
    for _ in range(4):
        real = torch.randn(16, 2) + 2
        fake = generator(torch.randn(16, 3)).detach()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"critic loss {loss.item():.5f}")


if __name__ == "__main__":
    main()

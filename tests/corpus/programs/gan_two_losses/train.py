"""A generator and a discriminator: two losses, so two backwards. Nothing is wrong here."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def zero(model):
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)


def main():
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
    critic = nn.Sequential(nn.Linear(2, 12), nn.LeakyReLU(0.2), nn.Linear(12, 1))
    zero(generator)
    zero(critic)
    learn_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    learn_d = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            noise = 0.5 * (1 - step / 6)
            real = torch.randn(8, 2) * 0.1 + 1
            fake = generator(torch.randn(8, 3))
            shown = torch.cat([real, fake.detach()])
            scores = critic(shown + noise * torch.randn_like(shown))
            truth = torch.cat([torch.ones(8, 1), torch.zeros(8, 1)])
            loss_d = functional.binary_cross_entropy_with_logits(scores, truth)
            learn_d.zero_grad(set_to_none=False)
            loss_d.backward()
            learn_d.step()

            loss_g = functional.softplus(-critic(fake)).mean()
            learn_g.zero_grad(set_to_none=False)
            loss_g.backward()
            learn_g.step()


if __name__ == "__main__":
    main()

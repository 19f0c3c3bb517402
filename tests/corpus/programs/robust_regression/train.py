"""Huber's loss with a threshold that shrinks, on two parts that are cleared at different times."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def threshold(epoch):
    return 1.0 / (1 + epoch)


def main():
    torch.manual_seed(0)
    encoder, head = nn.Linear(5, 9), nn.Linear(9, 1)
    learn_encoder = torch.optim.SGD(encoder.parameters(), lr=0.05)
    learn_head = torch.optim.SGD(head.parameters(), lr=0.1)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(3):
            for batch in range(4):
                x = torch.randn(12, 5)
                guess = head(encoder(x).tanh())
                loss = functional.huber_loss(guess, x[:, :1], delta=threshold(epoch))
                loss.backward()
                learn_head.step()
                learn_head.zero_grad(set_to_none=False)
                if batch % 2 == 1:
                    learn_encoder.step()
                    learn_encoder.zero_grad()


if __name__ == "__main__":
    main()

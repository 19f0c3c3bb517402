"""Groups headlines by swapping assignments."""

import torch
from headlines import Wire
from prototypes import Clusters, sinkhorn
from torch._dynamo import compiled_autograd


def swapped(one, other, *, heat, rounds, sharpness):
    loss = 0.0
    for scores, theirs in ((one, other), (other, one)):
        plan = sinkhorn(theirs, rounds, sharpness)
        loss = loss - (plan * (scores / heat).log_softmax(1)).sum(1).mean()
    return loss


class Freeze:
    """Keeps the prototypes where they are for the first steps."""

    def __init__(self, parameter, steps):
        self.parameter, self.left = parameter, steps

    def __call__(self):
        if self.left > 0:
            self.left -= 1
            self.parameter.grad.zero_()


def main(steps=12):
    torch.manual_seed(0)
    wire, model = Wire(), Clusters()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    freeze = Freeze(model.prototypes.weight, steps=3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            heat = 0.3 - 0.01 * step
            scores = map(model, wire.pairs(16))
            loss = swapped(*scores, heat=heat, rounds=1 + step // 4, sharpness=5.0 + step)
            optimizer.zero_grad()
            loss.backward()
            freeze()
            optimizer.step()
            model.normalize()


if __name__ == "__main__":
    main()

"""Embeds the nodes of a graph and keeps an eye on one layer's gradient."""

import torch
from embedding import NodeEmbedding, optimizers_of
from graph import Ring
from torch._dynamo import compiled_autograd


class GradientMeter:
    """Sums up the squared gradient of a parameter over each round."""

    def __init__(self, parameter):
        self.parameter = parameter
        self.rounds = []

    def __enter__(self):
        self.total = torch.zeros(())
        self.parameter.register_hook(self._add)
        return self

    def _add(self, gradient):
        self.total.add_(gradient.square().sum())

    def __exit__(self, *error):
        self.rounds.append(self.total)


def main(rounds=4):
    torch.manual_seed(0)
    ring = Ring()
    model = NodeEmbedding(len(ring.neighbours))
    optimizers = optimizers_of(model)
    meter = GradientMeter(model.project.weight)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(rounds):
            with meter:
                for walks, negatives in ring.batches(2):
                    loss = model(walks, negatives)
                    for optimizer in optimizers:
                        optimizer.zero_grad()
                    loss.backward()
                    for optimizer in optimizers:
                        optimizer.step()


if __name__ == "__main__":
    main()

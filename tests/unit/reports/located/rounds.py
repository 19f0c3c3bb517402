"""Loops that go round more often: over lists that get longer, within loops over what stays.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

ROUNDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a list that a method adds to after each task": (
        "CA203",
        """
        # file: memory.py
        class Penalty:
            def __init__(self, model):
                self.model = model
                self.kept = []
            def keep(self, weights):
                self.kept.append(Kept(self.model, weights))
            def value(self):
                total = 0
                for old in self.kept:  # change
                    for name, p in self.model.named_parameters():
                        total = total + (p - old[name]).square().sum()  # forward
                return total
        # file: train.py
        from memory import Penalty
        penalty = Penalty(model)
        for task in tasks:
            for x in task:
                loss = model(x).mean() + penalty.value()
                loss.backward()  # backward
            penalty.keep(task)
        """,
        {},
    ),
    "layers of each step in a loop over steps": (
        "CA203",
        """
        # file: model.py
        class Reader(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
            def forward(self, x):
                for part in x.unbind(1):  # change
                    for layer in self.layers:
                        part = layer(part).tanh()  # forward
                return part
        # file: train.py
        from model import Reader
        reader = Reader(8)
        for x in loader:
            reader(x).sum().backward()  # backward
        """,
        {},
    ),
    "layers that are added to as it trains": (
        "CA203",
        """
        # file: model.py
        class Grown(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(width, width)])
            def grow(self):
                self.layers.append(self.layers[0])
            def forward(self, x):
                for layer in self.layers:  # change
                    x = layer(x).tanh()  # forward
                return x
        # file: train.py
        from model import Grown
        model = Grown(8)
        for step, x in enumerate(loader):
            model(x).sum().backward()  # backward
            if step % 9 == 8:
                model.grow()
        """,
        {},
    ),
    "one more of a list, which looks as a branch": (
        "CA202",
        """
        # file: memory.py
        class Penalty:
            def __init__(self):
                self.kept = []
            def keep(self, weights):
                self.kept.append(weights)
            def value(self, p):
                total = 0
                for old in self.kept:  # change
                    total = total + (p - old).square().sum()  # forward
                return total
        # file: train.py
        from memory import Penalty
        penalty = Penalty()
        for x in loader:
            loss = model(x).mean() + penalty.value(model.weight)
            loss.backward()  # backward
            penalty.keep(model.weight.detach().clone())
        """,
        {},
    ),
}

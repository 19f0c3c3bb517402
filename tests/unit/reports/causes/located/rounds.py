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
    "rounds whose last has no use for a part": (
        "CA202",
        """
        # file: model.py
        class Folding(nn.Module):
            def block(self, x, pair, mask=None):
                if mask is not None:
                    x = x.masked_fill(mask, 0)  # forward
                return x @ pair, pair + self.outer(x)
            def forward(self, x, pair, times):
                x = self.embed(x)
                for _ in range(times):  # change
                    x, pair = self.block(x + self.again(x), pair, x > 0)  # both, more
                return self.head(x)
        # file: train.py
        from model import Folding
        model = Folding()
        for x, pair in loader:
            model(x, pair, random.randint(1, 3)).sum().backward()  # backward
        """,
        {"before": "backward"},
    ),
    "rounds that end by a condition": (
        "CA202",
        """
        # file: model.py
        class Solver(nn.Module):
            def forward(self, x, mask):
                z = torch.zeros_like(x)
                while True:  # change
                    new = torch.tanh(self.inner(z) + x)  # both, more
                    if (new - z).norm() < 1e-3:
                        break
                    z = self.norm(new, mask)
                return z
            def norm(self, z, mask):
                if mask.any():
                    return z.masked_fill(mask, 0)  # forward
                return z
        # file: train.py
        from model import Solver
        model = Solver()
        for x, mask in loader:
            model(x, mask).sum().backward()  # backward
        """,
        {"before": "backward"},
    ),
}

# An `if` decides, whatever is counted around it.
BRANCHES: dict[str, str] = {
    "layers that are left out, in a loop that counts": """
        # file: model.py
        class Encoder(nn.Module):
            def forward(self, x):
                for number in range(self.depth):
                    if random.random() < 0.2:  # change
                        continue
                    x = x + self.layers[number](x)  # forward, both, more
                return x
        # file: train.py
        from model import Encoder
        model = Encoder()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
    "a function with a loop that is called once more": """
        # file: model.py
        class Refiner(nn.Module):
            def refine(self, x, times):
                x = self.first(x) * 2  # both, more
                for _ in range(times):
                    x = torch.tanh(x)  # forward, both, more
                return x
            def forward(self, x, times):
                x = self.refine(x, times)
                if random.random() < 0.5:  # change
                    x = self.refine(x, times)
                return x
        # file: train.py
        from model import Refiner
        model = Refiner()
        for x in loader:
            model(x, 3).sum().backward()  # backward
        """,
}

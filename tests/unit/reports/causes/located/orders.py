"""Where the same operations are combined in another order: loops over things, branches.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

ORDERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a loop over a dict, by way of a table": (
        "CA211",
        """
        # file: losses.py
        from torch.nn import functional
        def correlation(guess, true):
            return 1 - functional.cosine_similarity(guess, true).mean()  # forward
        MEASURES = {"alto": correlation, "bass": functional.mse_loss}
        def total(guesses, trues):
            loss = 0
            for part, wave in trues.items():  # change
                loss = loss + MEASURES[part](guesses[part], wave)
            return loss
        # file: train.py
        from losses import total
        for mixture, parts in rehearsals():
            loss = total(model(mixture), parts)
            loss.backward()  # backward
        """,
        {},
    ),
    "a sum over a set": (
        "CA211",
        """
        # file: train.py
        def penalty(layer):
            return layer.weight.square().sum()  # forward
        for x, y in loader:
            chosen = {model.first, model.second}
            loss = (model(x) - y).square().mean() + sum(penalty(one) for one in chosen)  # change
            loss.backward()  # backward
        """,
        {},
    ),
    "experts in the order of their scores": (
        "CA211",
        """
        # file: model.py
        class Mixture(nn.Module):
            def forward(self, x):
                outputs = []
                for index in self.scores(x).mean(0).argsort().tolist():  # change
                    outputs.append(self.experts[index](x))  # forward
                return torch.cat(outputs, -1)
        # file: train.py
        from model import Mixture
        model = Mixture()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a shuffled list": (
        "CA211",
        """
        # file: train.py
        import random
        heads = [model.depth, model.normals, model.edges]
        for x, y in loader:
            random.shuffle(heads)
            features = model.trunk(x)
            total = 0
            for head in heads:  # change
                total = total + loss_of(head(features), y)  # forward
            total.backward()  # backward
        """,
        {},
    ),
    "one side or the other": (
        "CA211",
        """
        # file: model.py
        class Translation(nn.Module):
            def distance(self, heads, relations, tails):
                return (heads + relations - tails).abs().sum(-1)  # forward
            def forward(self, h, r, t, false, side):
                true = self.distance(h, r, t)
                if side == "tail":  # change
                    return true, self.distance(h, r, false)
                return true, self.distance(false, r, t)
        # file: train.py
        from model import Translation
        model = Translation()
        for batch in triples():
            loss = objective(*model(*batch))
            loss.backward()  # backward
        """,
        {},
    ),
    "a conditional expression": (
        "CA211",
        """
        # file: train.py
        for step, (a, b) in enumerate(pairs):
            first, second = encoder(a), encoder(b)
            both = torch.cat([first, second] if step % 2 else [second, first])  # forward, change
            head(both).sum().backward()  # backward
        """,
        {},
    ),
    "a comprehension over a dict, within layers in one order": (
        "CA211",
        """
        # file: relations.py
        class Mean(nn.Module):
            def forward(self, x, index):
                return self.out(x).index_add(0, index, x)  # forward
        class Relations(nn.Module):
            def __init__(self, kinds):
                super().__init__()
                self.kinds = nn.ModuleDict(kinds)
            def forward(self, x, edges):
                outs = [self.kinds[kind](x, index) for kind, index in edges.items()]  # change
                return sum(outs)
        # file: train.py
        from relations import Mean, Relations
        class Net(nn.Module):
            def __init__(self, layers):
                super().__init__()
                self.kinds = nn.ModuleList()
                for _ in range(layers):
                    self.kinds.append(Relations({"owns": Mean(), "feeds": Mean()}))
                self.norms = nn.ModuleList(nn.LayerNorm(8) for _ in range(layers))
            def forward(self, x, edges):
                for kind, norm in zip(self.kinds, self.norms):
                    x = norm(kind(x, edges))
                return x
        net = Net(2)
        for x, edges in graphs():
            net(x, edges).sum().backward()  # backward
        """,
        {},
    ),
    "layers in one order, in a loop over a set": (
        "CA211",
        """
        # file: model.py
        class Heads(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(8, 8), nn.GELU()])
            def forward(self, x, parts):
                total = 0
                for part in set(parts):  # change
                    out = x[part]
                    for layer in self.layers:
                        out = layer(out)  # forward
                    total = total + out
                return total
        # file: train.py
        from model import Heads
        model = Heads()
        for x, parts in loader:
            model(x, parts).sum().backward()  # backward
        """,
        {},
    ),
    "heads of the model that are shuffled": (
        "CA211",
        """
        # file: model.py
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.heads = [nn.Linear(8, 1), nn.Bilinear(8, 8, 1)]
            def forward(self, x):
                random.shuffle(self.heads)
                total = 0
                for head in self.heads:  # change
                    total = total + head(x)  # forward
                return total
        # file: train.py
        from model import Net
        net = Net()
        for x in loader:
            net(x).sum().backward()  # backward
        """,
        {},
    ),
    "layers in one order, of which a branch swaps two": (
        "CA211",
        """
        # file: model.py
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(8, 8), nn.GELU()])
            def forward(self, x, first):
                for layer in self.layers:
                    if first:  # change
                        x = self.norm(layer(x))  # forward
                    else:
                        x = layer(self.norm(x))
                return x
        # file: train.py
        from model import Net
        net = Net()
        for x, first in loader:
            net(x, first).sum().backward()  # backward
        """,
        {},
    ),
    "a dict that is looked up in another order": (
        "CA211",
        """
        # file: train.py
        for step, x in enumerate(loader):
            order = torch.randperm(2).tolist()
            losses = {index: tasks[index](x) for index in order}  # forward
            loss = losses[order[0]] + losses[order[1]]  # change
            loss.backward()  # backward
        """,
        {},
    ),
    "a dict that is gone over as it was made": (
        "CA211",
        """
        # file: train.py
        for step, x in enumerate(loader):
            order = torch.randperm(2).tolist()
            losses = {index: tasks[index](x) for index in order}  # forward, change
            loss = sum(losses.values()) + losses[order[0]]
            loss.backward()  # backward
        """,
        {},
    ),
}

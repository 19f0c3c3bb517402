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
}

"""An `if` behind which both captures were made: it decides nothing. Each with one that may.

``both`` are lines that made nodes in both captures.
"""

from __future__ import annotations

PASSED: dict[str, str] = {
    "batches that a generator leaves out": """
        # file: data.py
        def batches(rows, size):
            for some in rows.split(size):
                if len(some) == size:
                    yield some
        # file: train.py
        from data import batches
        for some in batches(rows, 8):
            loss = helper(model(some))  # forward
            loss.backward()  # backward
        """,
    "an if around the whole step": """
        # file: train.py
        for step, x in enumerate(loader):
            if x.isfinite().all():
                loss = helper(model(x))  # forward
                loss.backward()  # backward
        """,
    "steps that are left out": """
        # file: train.py
        for step, x in enumerate(loader):
            if not x.isfinite().all():
                continue
            loss = helper(model(x))  # forward
            loss.backward()  # backward
        """,
    "steps that end": """
        # file: train.py
        for step, x in enumerate(loader):
            loss = helper(model(x))  # forward
            loss.backward()  # backward
            if loss < 0.1:
                break
        """,
    "a caller that trains or not": """
        # file: train.py
        def fit(model, loader):
            for x in loader:
                loss = helper(model(x))  # forward
                loss.backward()  # backward
        for epoch in range(9):
            if epoch >= start:
                fit(model, loader)  # step
        """,
    "a branch of the forward that both took": """
        # file: model.py
        class Net(nn.Module):
            def forward(self, x, mask):
                if mask.any():
                    x = x * mask  # both
                    x = helper(x)  # forward
                return x
        # file: train.py
        from model import Net
        net = Net()
        for x, mask in loader:
            net(x, mask).sum().backward()  # backward
        """,
}

# The same programs' likes, of which the `if` may have gone the other way.
TAKEN: dict[str, str] = {
    "what an inner loop goes over": """
        # file: data.py
        def views(some):
            for one in some:
                if one.mean() > 0:  # change
                    yield one * 0.5
        # file: train.py
        from data import views
        for some in loader:
            loss = 0
            for view in views(some):
                loss = loss + model(view)  # forward
            loss.backward()  # backward
        """,
    "an if that ends before the backward": """
        # file: train.py
        for step, x in enumerate(loader):
            loss = model(x).mean()
            if step % 2:  # change
                loss = loss + helper(x)  # forward
            loss.backward()  # backward
        """,
    "a branch of the forward that one took": """
        # file: model.py
        class Net(nn.Module):
            def forward(self, x, mask):
                x = x * 2  # both
                if mask.any():  # change
                    x = helper(x)  # forward
                return x
        # file: train.py
        from model import Net
        net = Net()
        for x, mask in loader:
            net(x, mask).sum().backward()  # backward
        """,
    "a branch of a loop that took it once and twice": """
        # file: model.py
        class Net(nn.Module):
            def forward(self, x):
                for layer in self.layers:
                    if random.random() > 0.2:  # change
                        x = x + 1  # both
                        x = layer(x)  # forward
                return x
        # file: train.py
        from model import Net
        net = Net()
        for x in loader:
            net(x).sum().backward()  # backward
        """,
    "a branch of what is called twice": """
        # file: model.py
        class Net(nn.Module):
            def side(self, x):
                if x.mean() > 0:  # change
                    x = x + 1  # both
                    x = helper(x)  # forward
                return x
            def forward(self, x):
                return self.side(x) - self.side(-x)
        # file: train.py
        from model import Net
        net = Net()
        for x in loader:
            net(x).sum().backward()  # backward
        """,
}

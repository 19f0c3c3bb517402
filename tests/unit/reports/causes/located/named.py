"""What is called, kept or put under a name that is a value, and modes that are switched back.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import OtherStart, Subject
from ca_reports.run.model import Change

_TO_EVAL = {"changes": [Change(2, "NativeBatchNormBackward0", "training", True, False)]}
_TO_TRAIN = {"changes": [Change(2, "NativeBatchNormBackward0", "training", False, True)]}
# A product came or went, in the line that is marked `forward`.
MASKED = "a product"
_PROBABILITY = {"changes": [Change(None, "net.2", "p", 0.0, 0.2)]}

NAMED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a key that the model puts into its outputs in some steps": (
        "CA202",
        """
        # file: model.py
        class Net(nn.Module):
            def forward(self, x, with_extra):
                outputs = {"main": self.head(x)}
                if with_extra:  # change
                    outputs["extra"] = self.extra(x)
                return outputs
        # file: train.py
        from model import Net
        net = Net()
        for step, (x, y) in enumerate(loader):
            outputs = net(x, step % 4 == 0)
            losses = {"main": outputs["main"].mean()}
            if "extra" in outputs:
                losses["extra"] = 0.3 * outputs["extra"].mean()  # forward
            sum(losses.values()).backward()  # backward
        """,
        {},
    ),
    "a key that is asked for by get": (
        "CA202",
        """
        # file: train.py
        def outputs_of(model, x, step):
            outputs = {"main": model(x)}
            if step > 4:  # change
                outputs["boxes"] = model.boxes(x)
            return outputs
        for step, x in enumerate(loader):
            outputs = outputs_of(model, x, step)
            loss = outputs["main"].mean()
            boxes = outputs.get("boxes")
            if boxes is not None:
                loss = loss + boxes.square().mean()  # forward
            loss.backward()  # backward
        """,
        {},
    ),
    "a key that a batch has or lacks, by what the loader of another project puts there": (
        "CA202",
        """
        # file: train.py
        for batch in loader:
            loss = model(batch["image"]).mean()
            if "mask" in batch:  # change
                loss = loss + model.mask(batch["mask"]).mean()  # forward
            loss.backward()  # backward
        """,
        {},
    ),
    "a method by its name": (
        "CA202",
        """
        # file: model.py
        class Net(nn.Module):
            def by_mean(self, x):
                return x.mean(1)
            def by_attention(self, x):
                return (x * self.score(x).softmax(1)).sum(1)  # forward
            def forward(self, x, pooling):
                pool = getattr(self, f"by_{pooling}")  # change
                return self.head(pool(x))
        # file: train.py
        from model import Net
        net = Net()
        for step, x in enumerate(loader):
            net(x, POOLINGS[step % 2]).mean().backward()  # backward
        """,
        {},
    ),
    "views by their names, in an order that is shuffled": (
        "CA211",
        """
        # file: model.py
        class Views(nn.Module):
            def __init__(self):
                self.order = ["local", "wide"]
            def local(self, x):
                return torch.relu(self.near(x))  # forward
            def wide(self, x):
                return torch.tanh(self.far(x))
            def forward(self, x):
                random.shuffle(self.order)
                for name in self.order:  # change
                    x = getattr(self, name)(x)
                return x
        # file: train.py
        from model import Views
        net = Views()
        for x in loader:
            net(x).mean().backward()  # backward
        """,
        {},
    ),
    "a loss by the name of its method": (
        "CA209",
        """
        # file: losses.py
        class Criterion(nn.Module):
            def per_mean(self, errors):
                return errors.mean()
            def per_sum(self, errors):
                return errors.sum() / 64  # forward
            def forward(self, guess, true):
                return getattr(self, "per_" + self.mode)((guess - true).square())  # change
        # file: train.py
        from losses import Criterion
        criterion = Criterion()
        for epoch in range(4):
            criterion.mode = MODES[epoch]
            for x, y in loader:
                loss = criterion(model(x), y)
                loss.backward()  # backward
        """,
        {"changes": [Change(0, "torch::autograd::GraphRoot", "outputs", ["A"], ["B"])]},
    ),
    "batch norms that a context puts into evaluation and back": (
        "CA205",
        """
        # file: train.py
        @contextlib.contextmanager
        def frozen(model):
            norms = [one for one in model.modules() if isinstance(one, nn.BatchNorm1d)]
            for norm in norms:
                norm.eval()  # change
            yield
            for norm in norms:
                norm.train()
        for step, x in enumerate(loader):
            with frozen(model) if step % 3 == 2 else nullcontext():
                loss = model(x).mean()
            loss.backward()  # backward
        """,
        _TO_EVAL,
    ),
    "the same, where the first step ran in evaluation": (
        "CA205",
        """
        # file: train.py
        for step, x in enumerate(loader):
            if step % 3 == 0:
                model.eval()  # change
                loss = model(x).mean()
                model.train()
            else:
                loss = model(x).mean()
            loss.backward()  # backward
        """,
        _TO_TRAIN,
    ),
    "a dropout's p by a schedule": (
        "CA205",
        """
        # file: schedule.py
        class DropoutSchedule:
            def __init__(self, model):
                self.layers = [one for one in model.modules() if isinstance(one, nn.Dropout)]
                for layer in self.layers:
                    layer.p = 0.0
            def step(self, epoch):
                for layer in self.layers:
                    layer.p = min(0.5, 0.1 * epoch)  # change
        # file: train.py
        from schedule import DropoutSchedule
        schedule = DropoutSchedule(model)
        for epoch in range(4):
            for x in loader:
                model(x).mean().backward()  # backward
            schedule.step(epoch)
        """,
        _PROBABILITY,
    ),
    "a list of the parameters that gradients are asked for": (
        "CA209",
        """
        # file: train.py
        class Factors:
            def wanted(self, sweep):
                return [self.rows] if sweep % 2 == 0 else [self.columns]  # change
            def sweep(self, number, ratings):
                loss = (self.rows @ self.columns - ratings).square().mean()
                loss.backward(inputs=self.wanted(number))  # backward
        factors = Factors()
        for number in range(6):
            factors.sweep(number, ratings)  # main
        """,
        {"detail": OtherStart("inputs")},
    ),
    "a lambda that a decorator of the user's gets": (
        "CA202",
        """
        # file: train.py
        def sometimes(chance, extra):
            def wrap(function):
                def inner(self, x):
                    if random.random() < chance:  # change
                        x = extra(x)
                    return function(self, x)
                return inner
            return wrap
        class Net(nn.Module):
            @sometimes(0.4, lambda h: torch.tanh(h) * 1.1)  # forward
            def tail(self, h):
                return self.head(h)
            def forward(self, x):
                return self.tail(self.body(x))
        net = Net()
        for x in loader:
            net(x).mean().backward()  # backward
        """,
        {},
    ),
    "lambdas of a table, in the order of a sample": (
        "CA211",
        """
        # file: train.py
        KINDS = {
            "calls": lambda output: functional.cross_entropy(output, calls),  # forward
            "notes": lambda output: output.abs().mean(),
        }
        for x in loader:
            losses = {}
            for kind in random.sample(["calls", "notes"], 2):  # change
                losses[kind] = KINDS[kind](net[kind](x))
            sum(losses.values()).backward()  # backward
        """,
        {},
    ),
    "a context that freezes and thaws": (
        "CA207",
        """
        # file: train.py
        @contextlib.contextmanager
        def only(model, word):
            before = {name: each.requires_grad for name, each in model.named_parameters()}
            for name, each in model.named_parameters():
                each.requires_grad = word in name  # change
            yield
            for name, each in model.named_parameters():
                each.requires_grad = before[name]
        def step(x):
            model(x).mean().backward()  # backward
        for number, x in enumerate(loader):
            if number < 4:
                with only(model, "adapter"):
                    step(x)  # main
            else:
                step(x)
        """,
        {},
    ),
    "stages that grow, whose number is counted elsewhere": (
        "CA202",
        """
        # file: model.py
        class Progressive(nn.Module):
            def grow(self):
                self.alive = min(self.alive + 1, len(self.stages))
            def forward(self, x):
                for number in range(self.alive):  # change
                    x = torch.relu(self.stages[number](x))  # forward
                return self.head(x)
        # file: train.py
        from model import Progressive
        net = Progressive()
        for epoch in range(6):
            if epoch in (1, 2):
                net.grow()
            for x in loader:
                net(x).mean().backward()  # backward
        """,
        {"subject": Subject(modules=("stages.1", "stages.2"))},
    ),
    "a dropout that a context turns off": (
        "CA202",
        """
        # file: model.py
        class Net(nn.Module):
            def __init__(self):
                self.drop = nn.Dropout(0.2)
            def forward(self, x):
                h = self.drop(self.body(x))  # forward
                return self.head(h)
        # file: train.py
        from model import Net
        @contextlib.contextmanager
        def deterministic(model):
            was = model.training
            model.eval()  # change
            try:
                yield
            finally:
                model.train(was)
        net = Net()
        for step, x in enumerate(loader):
            if step % 4 == 3:
                with deterministic(net):
                    loss = net(x).mean()
            else:
                loss = net(x).mean()
            loss.backward()  # backward
        """,
        {"changes": MASKED},
    ),
    "a dropout by a function, whose p is scheduled": (
        "CA202",
        """
        # file: train.py
        class Net(nn.Module):
            def forward(self, x):
                h = functional.dropout(self.body(x), self.rate(), self.training)  # forward, change
                return self.head(h)
        net = Net()
        for x in loader:
            net(x).mean().backward()  # backward
        """,
        {"changes": MASKED},
    ),
    "what is taken out of a dict that is gone over": (
        "CA202",
        """
        # file: parts.py
        def drop_modality(batch, chance):
            if random.random() < chance:  # change
                batch.pop(random.choice(sorted(batch)))
            return batch
        # file: train.py
        from parts import drop_modality
        for batch in loader:
            batch = drop_modality(batch, 0.3)
            hidden = sum(encoders[name](x) for name, x in batch.items())  # forward
            head(hidden).mean().backward()  # backward
        """,
        {},
    ),
    "a choice in the rounds of a loop that always goes round as often": (
        "CA203",
        """
        # file: train.py
        class Decoder(nn.Module):
            def next_input(self, last, truth):
                return truth if random.random() < 0.6 else self.embed(last)  # change, forward
            def forward(self, truth):
                y, hidden = truth[:, 0], truth.new_zeros(4, 8)
                for t in range(3):
                    hidden = self.cell(y, hidden)
                    y = self.next_input(self.out(hidden), truth[:, t])
                return hidden
        decoder = Decoder()
        for truth in loader:
            decoder(truth).mean().backward()  # backward
        """,
        {},
    ),
}

"""Where one of several losses is chosen, or their order: by a table, an object, an `if`.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.run.model import Change

_OTHER = {
    "changes": (Change(0, "GraphRoot", "outputs", ["MseLossBackward0"], ["L1LossBackward0"]),)
}

ROOTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a loss that each task holds": (
        "CA209",
        """
        # file: tasks.py
        from itertools import cycle
        from typing import NamedTuple
        from torch.nn import functional
        class Task(NamedTuple):
            name: str
            loss: object
        def pitch(found, wanted):
            return functional.mse_loss(found, wanted)
        def timbre(found, wanted):
            return functional.l1_loss(found, wanted)  # forward
        TASKS = (Task("pitch", pitch), Task("timbre", timbre))
        def turns(tasks=TASKS):
            yield from cycle(tasks)
        # file: train.py
        from tasks import turns
        for (x, y), task in zip(loader, turns()):
            loss = task.loss(model(x), y)  # change
            loss.backward()  # backward
        """,
        _OTHER,
    ),
    "a function of a table": (
        "CA209",
        """
        # file: losses.py
        from torch.nn import functional
        def absolute(out, y):
            return functional.l1_loss(out, y)  # forward
        def squared(out, y):
            return functional.mse_loss(out, y)
        LOSSES = {"absolute": absolute, "squared": squared}
        # file: train.py
        from losses import LOSSES
        for step, (x, y) in enumerate(loader):
            criterion = LOSSES["absolute" if step % 2 else "squared"]
            loss = criterion(model(x), y)  # change
            loss.backward()  # backward
        """,
        _OTHER,
    ),
    "a registry with a decorator": (
        "CA209",
        """
        # file: losses.py
        from torch.nn import functional
        LOSSES = {}
        def register(name):
            def keep(function):
                LOSSES[name] = function
                return function
            return keep
        @register("absolute")
        def absolute(out, y):
            return functional.l1_loss(out, y)  # forward
        @register("squared")
        def squared(out, y):
            return functional.mse_loss(out, y)
        # file: train.py
        from losses import LOSSES
        class Trainer:
            def loss_of(self, x, y, name):
                return LOSSES[name](self.model(x), y)  # change
            def step(self, x, y, name):
                self.loss_of(x, y, name).backward()  # backward
            def fit(self, loader, names):
                for (x, y), name in zip(loader, names):
                    self.step(x, y, name)  # main
        """,
        _OTHER,
    ),
    "objects with a loss of their own": (
        "CA209",
        """
        # file: heads.py
        import torch
        from torch.nn import functional
        class Depth(torch.nn.Module):
            def loss(self, features, wanted):
                return functional.l1_loss(self.net(features), wanted)  # forward
        class Normals(torch.nn.Module):
            def loss(self, features, wanted):
                return functional.mse_loss(self.net(features), wanted)
        # file: train.py
        import random
        from heads import Depth, Normals
        heads = [Depth(), Normals()]
        for x, y in loader:
            head = random.choice(heads)
            loss = head.loss(encoder(x), y)  # change
            loss.backward()  # backward
        """,
        _OTHER,
    ),
    "a loss of a phase, called by a helper": (
        "CA209",
        """
        # file: phases.py
        from dataclasses import dataclass
        from typing import Callable
        from torch.nn import functional
        def warm(out, y):
            return functional.l1_loss(out, y)  # forward
        def sharp(out, y):
            return functional.mse_loss(out, y)
        @dataclass
        class Phase:
            steps: int
            criterion: Callable
        PHASES = [Phase(steps=10, criterion=warm), Phase(steps=20, criterion=sharp)]
        # file: train.py
        from phases import PHASES
        def measured(phase, out, y):
            return phase.criterion(out, y) / len(y)  # change
        for phase in PHASES:
            for step, (x, y) in zip(range(phase.steps), loader):
                measured(phase, model(x), y).backward()  # backward
        """,
        _OTHER,
    ),
    "a lambda of a table": (
        "CA209",
        """
        # file: losses.py
        from torch.nn import functional
        LOSSES = {
            "absolute": lambda out, y: functional.l1_loss(out, y),  # forward
            "squared": lambda out, y: functional.mse_loss(out, y),
        }
        # file: train.py
        from losses import LOSSES
        for step, (x, y) in enumerate(loader):
            loss = LOSSES["absolute" if step % 2 else "squared"](model(x), y)  # change
            loss.backward()  # backward
        """,
        _OTHER,
    ),
    "functions that a method hands back": (
        "CA209",
        """
        # file: schedule.py
        from torch.nn import functional
        def coarse(out, y):
            return functional.l1_loss(out, y)  # forward
        def fine(out, y):
            return functional.mse_loss(out, y)
        class Schedule:
            def at(self, epoch):
                return coarse if epoch < 3 else fine
        # file: train.py
        from schedule import Schedule
        schedule = Schedule()
        for epoch in range(9):
            criterion = schedule.at(epoch)
            for x, y in loader:
                loss = criterion(model(x), y)  # change
                loss.backward()  # backward
        """,
        _OTHER,
    ),
    "two functions and an if": (
        "CA209",
        """
        # file: losses.py
        from torch.nn import functional
        def absolute(out, y):
            return functional.l1_loss(out, y)  # forward
        def squared(out, y):
            return functional.mse_loss(out, y)
        # file: train.py
        from losses import absolute, squared
        for step, (x, y) in enumerate(loader):
            out = model(x)
            if step < 100:  # change
                loss = absolute(out, y)  # change
            else:
                loss = squared(out, y)  # change
            loss.backward()  # backward
        """,
        _OTHER,
    ),
    "a penalty that is added in some steps": (
        "CA209",
        """
        # file: train.py
        for step, (x, y) in enumerate(loader):
            loss = criterion(model(x), y) / len(y)  # forward
            if step % 2 == 0:  # change
                loss += 0.1 * rough(model.field)
            loss.backward()  # backward
        """,
        _OTHER,
    ),
    "a penalty of a method, in a trainer": (
        "CA209",
        """
        # file: train.py
        class Trainer:
            def step(self, x, y, number):
                total = self.criterion(self.model(x), y).mean()  # forward
                if number > self.warm:  # change
                    total = total + self.model.penalty()
                self.optimizer.zero_grad()
                total.backward()  # backward
            def fit(self, loader):
                for number, (x, y) in enumerate(loader):
                    self.step(x, y, number)  # main
        """,
        _OTHER,
    ),
    "operands that a side puts in another order": (
        "CA211",
        """
        # file: model.py
        import torch
        class Translation(torch.nn.Module):
            def distance(self, heads, relations, tails):
                return (heads + relations - tails).abs().sum(-1)  # forward
            def forward(self, h, r, t, wrong, side):
                true = self.distance(h, r, t)
                if side == "tail":  # change
                    return true, self.distance(h.unsqueeze(1), r.unsqueeze(1), wrong)
                return true, self.distance(wrong, r.unsqueeze(1), t.unsqueeze(1))
        # file: train.py
        from model import Translation
        model = Translation()
        for h, r, t, wrong, side in triples:
            true, false = model(h, r, t, wrong, side)
            (true - false.mean(1)).relu().mean().backward()  # backward
        """,
        {},
    ),
    "measures in the order of a dictionary": (
        "CA211",
        """
        # file: losses.py
        import torch
        from torch.nn import functional
        def direction(guess, true):
            return 1 - functional.cosine_similarity(guess, true).mean()  # forward
        MEASURES = {"alto": direction, "bass": functional.l1_loss}
        def loss_of(guess, true):
            loss = 0.0
            for part, wave in true.items():  # change
                loss = loss + MEASURES[part](guess[part], wave)
            return loss
        # file: train.py
        from losses import loss_of
        for mixed, true in loader:
            loss_of(model(mixed), true).backward()  # backward
        """,
        {},
    ),
    "operations in the order of names, where the loop is": (
        "CA211",
        """
        # file: model.py
        import torch
        class Fusion(torch.nn.Module):
            def forward(self, columns):
                fused = 0
                for name, column in columns.items():  # change
                    fused = fused + self.encoders[name](column)  # forward
                return fused
        # file: train.py
        from model import Fusion
        model = Fusion()
        for columns in loader:
            model(columns).sum().backward()  # backward
        """,
        {},
    ),
    "parameters that a context thaws and freezes again": (
        "CA207",
        """
        # file: tuning.py
        from contextlib import contextmanager
        @contextmanager
        def only(model, names):
            before = {name: one.requires_grad for name, one in model.named_parameters()}
            for name, parameter in model.named_parameters():
                parameter.requires_grad_(name in names)  # change
            try:
                yield
            finally:
                for name, parameter in model.named_parameters():
                    parameter.requires_grad_(before[name])
        # file: train.py
        from tuning import only
        for phase in phases:
            with only(model, phase.names):
                for x in loader:
                    model(x).sum().backward()  # backward
        """,
        {},
    ),
    "images that are turned": (
        "CA111",
        """
        # file: cutouts.py
        import torch
        class Quarter:
            def __call__(self, batch):
                quarters = int(torch.randint(0, 4, ()))
                return {"image": batch["image"].rot90(quarters, dims=(2, 3))}  # change
        # file: train.py
        from cutouts import Quarter
        def batches(loader, transforms=()):
            for batch in loader:
                for transform in transforms:
                    batch = transform(batch)
                yield batch
        turn = Quarter()
        for batch in batches(loader, transforms=[turn]):
            model(batch["image"]).sum().backward()  # backward
        """,
        {},
    ),
}

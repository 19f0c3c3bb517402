"""Where one of several losses that a backward begins at is chosen: by a table, an object, a turn.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.model import Change

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
}

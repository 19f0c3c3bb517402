"""Where a number, a flag or a list that a compiled function is guarded on changes.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import SharedSetting, Subject

THREADS = SharedSetting(("num_threads",))

CHANGED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a number that a library's callback sets": (
        "CA704",
        """
        # file: module.py
        import torch
        from lightning.pytorch import LightningModule
        class Annealed(LightningModule):
            def __init__(self, warmth=0.5):
                super().__init__()
                self.warmth = warmth
                self.mix = torch.compile(self.mix)
            def mix(self, x):  # compiled
                return x + self.warmth * torch.randn_like(x)
            def on_train_epoch_start(self):
                self.warmth = 0.5 * 0.7**self.current_epoch  # change
            def training_step(self, batch, index):
                return self.mix(batch).square().mean()  # step
        # file: train.py
        from lightning.pytorch import Trainer
        from module import Annealed
        def main():
            Trainer(max_epochs=4).fit(Annealed(), loader)  # main
        main()
        """,
        {"reason": "0/0: self.warmth == 0.5"},
    ),
    "a string of a configuration beside a list of its name": (
        "CA703",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self, options):
                super().__init__()
                self.options = options
            def forward(self, x):  # compiled
                outputs = []
                for layer in self.layers:
                    x = layer(x)
                    outputs.append(x)
                if self.options.outputs == "last":
                    outputs = outputs[-1:]
                return outputs
        # file: train.py
        import torch
        from net import Net
        net = torch.compile(Net(options))
        for step, x in enumerate(loader):
            options.outputs = "all" if step % 10 == 0 else "last"  # change
            net(x)[-1].sum().backward()  # step
        """,
        {"reason": "0/0: self.options.outputs == 'last'"},
    ),
    "a dataclass that is replaced": (
        "CA704",
        """
        # file: settings.py
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class Settings:
            slope: float = 0.5
            width: int = 8
        # file: train.py
        import dataclasses
        import torch
        from settings import Settings
        @torch.compile
        def forward(x, settings):  # compiled
            return torch.nn.functional.leaky_relu(x, settings.slope)
        settings = Settings()
        for step, x in enumerate(loader):
            settings = dataclasses.replace(settings, slope=0.5 / (step + 1))  # change
            forward(x, settings).sum().backward()  # step
        """,
        {"reason": "0/0: settings.slope == 0.5"},
    ),
    "an object that is made with another number": (
        "CA704",
        """
        # file: train.py
        import torch
        class Options:
            def __init__(self, scale):
                self.scale = scale
        @torch.compile
        def forward(x, options):  # compiled
            return x * options.scale
        for step, x in enumerate(loader):
            options = Options(1.0 / (step + 1))  # change
            forward(x, options).sum().backward()  # step
        """,
        {"reason": "0/0: options.scale == 1.0"},
    ),
    "autocast that the compiled function enters, and another that is around the step": (
        "CA627",
        """
        # file: train.py
        import torch
        @torch.compile
        def step(x):  # compiled
            with torch.autocast("cpu", dtype=torch.bfloat16):  # change
                return net(x)
        for x in loader:
            with torch.autocast("cpu"):
                step(x)  # step
        """,
        {},
    ),
    "the one context of a checkpoint, in what the compiled function calls": (
        "CA622",
        """
        # file: blocks.py
        from torch.utils.checkpoint import checkpoint
        def selective(block, x):
            return checkpoint(block, x, use_reentrant=False, context_fn=contexts)  # change
        # file: train.py
        import torch
        from blocks import selective
        @torch.compile
        def step(x):  # compiled
            return selective(block, x)
        for x in loader:
            step(x)  # step
        """,
        {},
    ),
    "the count of another object, read by a property of the same name": (
        "CA704",
        """
        # file: fitting.py
        class Fitter:
            def __init__(self):
                self.epoch = 0
            def fit(self, module, compiled):
                module.fitter = self
                while self.epoch < 4:
                    compiled(torch.randn(4))  # step
                    self.epoch += 1  # change
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            @property
            def epoch(self):
                return self.fitter.epoch
            def forward(self, x):  # compiled
                return x * self.epoch
        # file: train.py
        import torch
        from fitting import Fitter
        from net import Net
        net = Net()
        Fitter().fit(net, torch.compile(net))  # main
        """,
        {"reason": "0/0: self.fitter.epoch == 0"},
    ),
    "a parameter group that is added later": (
        "CA710",
        """
        # file: thaw.py
        def thaw(part, optimizer):
            optimizer.add_param_group({"params": part.parameters()})  # change
        # file: train.py
        import torch
        from thaw import thaw
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        optimizer.step = torch.compile(optimizer.step)
        def step():  # compiled
            optimizer.step()
        for epoch in range(4):
            if epoch == 2:
                thaw(body, optimizer)
            step()  # step
        """,
        {"reason": "0/0: len(optimizer.param_groups) == 1"},
    ),
    "what is set by a name that is computed": (
        "CA704",
        """
        # file: ramp.py
        class Ramp:
            def __init__(self, target, name):
                self.target, self.name = target, name
            def step(self, epoch):
                setattr(self.target, self.name, 0.1 * epoch)  # change
        # file: train.py
        import torch
        from ramp import Ramp
        class Blur:
            def __init__(self, strength):
                self.strength = strength
            @torch.compile
            def __call__(self, x):  # compiled
                return x * self.strength
        blur = Blur(0.0)
        ramp = Ramp(blur, "strength")
        for epoch, x in enumerate(loader):
            ramp.step(epoch)
            blur(x)  # step
        """,
        {"reason": "0/0: self.strength == 0.0"},
    ),
    "a variable that a lambda keeps, which the compiled function is given": (
        "CA702",
        """
        # file: train.py
        import torch
        def pull(y, when):
            return -y * when
        @torch.compile
        def step(force, y):  # compiled
            return y + force(y)
        def solve(force, y, times):
            for when in times:  # change
                y = step(lambda state: force(state, when), y)  # step
        """,
        {"reason": "0/0: force.__closure__[1].cell_contents == 0.0"},
    ),
    "the first input of layers that are compiled one by one": (
        "CA708",
        """
        # file: train.py
        import torch
        class Layer(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.mix(x)
        class Stack(torch.nn.Module):
            def forward(self, ids):
                x = self.embed(ids)  # change
                for layer in self.layers:
                    x = layer(x)  # step
                return x
        """,
        {"reason": "0/0: tensor 'x' requires_grad mismatch. expected requires_grad=0"},
    ),
    "the last of the calls that set a state before the recompile": (
        "CA112",
        """
        # file: worker.py
        import torch
        class Worker:
            def __init__(self):
                torch.set_num_threads(4)
            def start(self):
                self.model(torch.zeros(2))
                torch.set_num_threads(1)  # change
            def rank(self, x):
                return self.model(x)  # step
        # file: train.py
        from worker import Worker
        def forward(x):  # compiled
            return x + 1
        worker = Worker()
        worker.start()
        worker.rank(x)  # main
        """,
        {"reason": "0/0: GLOBAL_STATE changed: num_threads", "detail": THREADS},
    ),
    "a buffer that is replaced by a longer one": (
        "CA719",
        """
        # file: train.py
        import torch
        class Angles(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("table", torch.empty(0))
            def extend(self, length):
                self.table = torch.arange(length).cos()  # change
            def forward(self, x):  # compiled
                if x.shape[0] > self.table.shape[0]:
                    self.extend(x.shape[0])
                return x * self.table[: x.shape[0]]
        for x in loader:
            angles(x)  # step
        """,
        {"subject": Subject("self._buffers['table']", (0,), (8, 12))},
    ),
    "a module that is replaced by one of another shape": (
        "CA719",
        """
        # file: train.py
        import torch
        class Growing(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = torch.nn.Linear(8, 2)
            def grow(self, classes):
                self.head = torch.nn.Linear(8, classes)  # change
            def forward(self, x):  # compiled
                return self.head(x)
        for x in loader:
            model(x)  # step
        """,
        {"subject": Subject("self._modules['head']._parameters['bias']", (0,), (2, 4))},
    ),
    "a dict that gets one key more in each call": (
        "CA710",
        """
        # file: train.py
        import torch
        @torch.compile
        def advance(state, act):  # compiled
            state["seen"] = state["seen"] + act
            state[f"cost_{len(state)}"] = act.sum()  # change
            return state
        def main():
            state = {"seen": torch.zeros(4)}
            for act in loader:
                state = advance(state, act)  # step
        main()
        """,
        {"key": "state", "reason": "0/0: len(state) == 2"},
    ),
    "an attribute that another class has as well": (
        "CA704",
        """
        # file: train.py
        import torch
        class Schedule:
            def advance(self, step):
                self.scale = 0.5**step
        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = 1.0
            def forward(self, x):  # compiled
                return x * self.scale
        class Ramp:
            def advance(self, blocks, step):
                for block in blocks:
                    block.scale = 0.1 * step  # change
        def main():
            blocks = torch.nn.Sequential(Block(), Block())
            net, schedule, ramp = torch.compile(blocks), Schedule(), Ramp()
            for step, x in enumerate(loader):
                ramp.advance(blocks, step)
                schedule.advance(step)
                (net(x) * schedule.scale).sum().backward()  # step
        main()
        """,
        {"reason": "0/0: self.scale == 1.0"},
    ),
    "a partial that is made for each epoch": (
        "CA702",
        """
        # file: losses.py
        import torch
        @torch.compile
        def weighted(logits, labels, weight):  # compiled
            return (logits - labels).square().mean() * weight
        # file: train.py
        import functools
        from losses import weighted
        for epoch in range(4):
            criterion = functools.partial(weighted, weight=0.9**epoch)  # change
            for x, y in loader:
                criterion(model(x), y).backward()  # step
        """,
        {"reason": "0/0: weight == 1.0"},
    ),
    "a number among the arguments of the command line": (
        "CA702",
        """
        # file: train.py
        import argparse
        import torch
        def parsed():
            parser = argparse.ArgumentParser()
            parser.add_argument("--temperature", type=float, default=1.0)
            return parser.parse_args()
        @torch.compile
        def soften(logits, temperature):  # compiled
            return (logits / temperature).softmax(-1)
        def main():
            args = parsed()
            for epoch in range(4):
                args.temperature = 1.0 / (epoch + 1)  # change
                for x in loader:
                    soften(model(x), args.temperature).sum().backward()  # step
        main()
        """,
        {"reason": "0/0: temperature == 1.0"},
    ),
    "the dtype of a field of a batch that one of two makers has": (
        "CA708",
        """
        # file: clinics.py
        from dataclasses import dataclass
        import numpy as np
        import torch
        @dataclass
        class Visit:
            image: torch.Tensor
            sure: torch.Tensor
        class Clinic:
            def visit(self):
                return Visit(torch.rand(4, 8), self.sure())
        class Downtown(Clinic):
            def sure(self):
                return torch.rand(4)
        class Harbour(Clinic):
            def sure(self):
                steps = np.arange(4)
                return torch.from_numpy(steps / 10)  # change
        # file: train.py
        import torch
        from clinics import Downtown, Harbour
        def loss_of(net, visit):  # compiled
            return (net(visit.image) * visit.sure).mean()
        compiled = torch.compile(loss_of)
        clinics = [Downtown(), Harbour()]
        for number in range(8):
            compiled(net, clinics[number % 2].visit()).backward()  # step
        """,
        {
            "reason": "0/0: tensor 'visit.sure' dtype mismatch. expected Double, actual Float",
            "key": "visit.sure dtype",
        },
    ),
    "the one of a tuple that a call spreads out which is None in some steps": (
        "CA703",
        """
        # file: depots.py
        import torch
        def parcels(depot):
            measures = torch.rand(10, 3)
            weight = torch.rand(10) if depot.has_scales else None  # change
            return measures, weight, measures.prod(1)
        # file: train.py
        import torch
        from depots import parcels
        @torch.compile
        def loss_of(net, measures, weight, volume):  # compiled
            return (net(measures, weight) - volume).mean()
        for depot in depots:
            loss_of(net, *parcels(depot)).backward()  # step
        """,
        {
            "reason": "0/0: expected type of 'weight' to be a tensor type, ' but found "
            "<class 'NoneType'>",
            "key": "weight",
        },
    ),
    "the keys that one class of environments adds": (
        "CA710",
        """
        # file: boards.py
        import torch
        class Game:
            def observe(self):
                return {"board": torch.randn(9), "side": torch.zeros(1)}
        class Ludo(Game):
            def observe(self):
                return super().observe() | {"dice": torch.zeros(2)}  # change
        # file: train.py
        import torch
        from boards import Game, Ludo
        class Policy(torch.nn.Module):
            def forward(self, seen):  # compiled
                return sum(value.sum() for value in seen.values())
        policy = torch.compile(Policy())
        games = [Game(), Ludo()]
        for number in range(8):
            policy(games[number % 2].observe()).backward()  # step
        """,
        {"reason": "0/0: len(seen) != 2", "key": "seen length"},
    ),
    "a number in the closure of a function that is given": (
        "CA701",
        """
        # file: masks.py
        def sliding(window):
            def mask(q, kv):
                return q - kv < window
            return mask
        # file: train.py
        import torch
        from masks import sliding
        @torch.compile
        def attend(q, kv, mask):  # compiled
            return mask(q, kv).float().sum()
        for step, (q, kv) in enumerate(loader):
            mask = sliding(16 * (1 + step))  # change
            attend(q, kv, mask)  # step
        """,
        {
            "reason": "0/0: mask.__closure__[0].cell_contents == 16  # return q - kv < window  "
            '# masks.py:3 in mask (HINT: guard on "window")',
            "key": "mask.__closure__[0].cell_contents",
        },
    ),
    "a number of a closure": (
        "CA702",
        """
        # file: train.py
        import torch
        def make_loss():
            alpha, beta = 1.0, 0.5
            @torch.compile
            def loss(x):  # compiled
                return (x * beta + alpha).sum()
            def relax():
                nonlocal beta
                beta *= 0.8  # change
            return loss, relax
        loss, relax = make_loss()
        for x in loader:
            relax()
            loss(x).backward()  # step
        """,
        {"reason": "0/0: fn.__closure__[1].cell_contents == 0.5"},
    ),
    "a property's setter": (
        "CA704",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self._noise = 0.5
            @property
            def noise(self):
                return self._noise
            @noise.setter
            def noise(self, value):
                self._noise = max(value, 0.0)  # change
            def forward(self, x):  # compiled
                return x + self._noise * x.sin()
        # file: train.py
        import torch
        from net import Net
        net = Net()
        model = torch.compile(net)
        for step, x in enumerate(loader):
            net.noise = 0.5 - 0.1 * step
            model(x).sum().backward()  # step
        """,
        {"reason": "0/0: self._noise == 0.5"},
    ),
    "a module's number that another module sets": (
        "CA705",
        """
        # file: settings.py
        SCALE = 1.0
        # file: net.py
        import torch
        import settings
        @torch.compile
        def forward(x):  # compiled
            return x * settings.SCALE
        # file: train.py
        import settings
        from net import forward
        for epoch in range(3):
            settings.SCALE = 0.5**epoch  # change
            for x in loader:
                forward(x).sum().backward()  # step
        """,
        {"reason": "0/0: G['settings'].SCALE == 1.0"},
    ),
    "a global read in the module that owns it": (
        "CA705",
        """
        # file: net.py
        import torch
        SCALE = 1.0
        @torch.compile
        def forward(x):  # compiled
            return x * SCALE
        # file: train.py
        import net
        for epoch in range(3):
            net.SCALE = 0.5**epoch  # change
            for x in loader:
                net.forward(x).sum().backward()  # step
        """,
        {"reason": "0/0: G['SCALE'] == 1.0"},
    ),
    "a number that a generator yields": (
        "CA702",
        """
        # file: data.py
        import torch
        def annealed(steps):
            for step in range(steps):
                temperature = 1.0 - 0.1 * step  # change
                yield torch.randn(4, 8), temperature
        # file: train.py
        import torch
        from data import annealed
        @torch.compile
        def loss_of(x, temperature):  # compiled
            return (x / temperature).exp().sum()
        for x, temperature in annealed(9):
            loss_of(x, temperature).backward()  # step
        """,
        {"reason": "0/0: temperature == 1.0"},
    ),
    "a trainer's attribute given as an argument": (
        "CA702",
        """
        # file: trainer.py
        import torch
        @torch.compile
        def distill(student, teacher, temperature):  # compiled
            return ((student - teacher) / temperature).square().mean()
        class Trainer:
            def __init__(self, model, teacher):
                self.model, self.teacher = model, teacher
                self.temperature = 4.0
            def on_epoch_end(self):
                self.temperature *= 0.9  # change
            def step(self, x):
                distill(self.model(x), self.teacher(x), self.temperature).backward()  # step
            def fit(self, loader, epochs):
                for _ in range(epochs):
                    for x in loader:
                        self.step(x)  # main
                    self.on_epoch_end()
        # file: train.py
        from trainer import Trainer
        Trainer(model, teacher).fit(loader, 4)
        """,
        {"reason": "0/0: temperature == 4.0"},
    ),
    "a context manager of the user's own": (
        "CA704",
        """
        # file: modes.py
        from contextlib import contextmanager
        @contextmanager
        def stronger(model, strength):
            before = model.strength
            model.strength = strength  # change
            try:
                yield
            finally:
                model.strength = before
        # file: train.py
        import torch
        from modes import stronger
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.strength = 1.0
            def forward(self, x):  # compiled
                return x * self.strength
        net = Net()
        model = torch.compile(net)
        for step, x in enumerate(loader):
            with stronger(net, 1.0 + step):
                model(x).sum().backward()  # step
        """,
        {"reason": "0/0: self.strength == 1.0"},
    ),
    "rates of all dropouts": (
        "CA704",
        """
        # file: callbacks.py
        from torch import nn
        class DropoutSchedule:
            def __init__(self, model):
                self.model = model
            def apply(self, epoch):
                for module in self.model.modules():
                    if isinstance(module, nn.Dropout):
                        module.p = 0.1 * epoch  # change
        # file: train.py
        import torch
        from callbacks import DropoutSchedule
        from net import Net
        net = Net()
        schedule = DropoutSchedule(net)
        model = torch.compile(net)
        for epoch in range(4):
            schedule.apply(epoch)
            for x in loader:
                model(x).sum().backward()  # step
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.drop = torch.nn.Dropout(0.0)
            def forward(self, x):  # compiled
                return self.drop(x)
        """,
        {"reason": "0/0: self._modules['drop'].p == 0.0"},
    ),
    "a dictionary that is written in the call's line": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def loss_of(batch):  # compiled
            return (batch["x"] * batch["weight"]).sum()
        for step, x in enumerate(loader):
            batch = {"x": x, "weight": 1.0 / (step + 1)}  # change
            loss_of(batch).backward()  # step
        """,
        {"reason": "0/0: batch['weight'] == 1.0"},
    ),
    "a flag through two helpers": (
        "CA703",
        """
        # file: loop.py
        def run_step(model, x, warm):
            return model(x, warm)  # step
        def run_epoch(model, loader, warm):
            for x in loader:
                run_step(model, x, warm).sum().backward()
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, warm):  # compiled
                return x.sin() if warm else x.cos()
        # file: train.py
        import torch
        from loop import run_epoch
        from net import Net
        model = torch.compile(Net())
        for epoch in range(4):
            run_epoch(
                model,
                loader,
                warm=epoch % 2 == 0,  # change
            )  # main
        """,
        {"reason": "0/0: warm == True"},
    ),
    "a namedtuple's field": (
        "CA702",
        """
        # file: train.py
        from collections import namedtuple
        import torch
        State = namedtuple("State", "weight step")
        @torch.compile
        def loss_of(x, state):  # compiled
            return (x * state.weight).sum()
        state = State(1.0, 0)
        for x in loader:
            loss_of(x, state).backward()  # step
            state = state._replace(weight=state.weight * 0.9)  # change
        """,
        {"reason": "0/0: state.weight == 1.0"},
    ),
    "a lambda around the compiled function": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def focal(logits, gamma):  # compiled
            return logits.abs().pow(gamma).mean()
        for epoch in range(4):
            gamma = 1.0 + 0.5 * epoch  # change
            criterion = lambda logits: focal(logits, gamma)
            for x in loader:
                criterion(model(x)).backward()  # step
        """,
        {"reason": "0/0: gamma == 1.0"},
    ),
    "a number assigned at the level of the module": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def loss_of(x, weight):  # compiled
            return (x * weight).sum()
        weight = 1.0
        for step in range(9):
            weight = 0.9 * weight  # change
            loss_of(torch.randn(8), weight).backward()  # step
        """,
        {"reason": "0/0: weight == 1.0"},
    ),
    "numbers that are zipped": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def loss_of(x, weight):  # compiled
            return (x * weight).sum()
        def main():
            weights = [1.0, 0.9, 0.8]
            for x, weight in zip(loader, weights):  # change
                loss_of(x, weight).backward()  # step
        main()
        """,
        {"reason": "0/0: weight == 1.0"},
    ),
    "an attribute filled by vars": (
        "CA704",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return x * self.gain
        # file: train.py
        import torch
        from net import Net
        net = Net()
        net.gain = 1.0
        model = torch.compile(net)
        def tune(module, **values):
            for name, value in values.items():
                setattr(module, name, value)
        for step, x in enumerate(loader):
            tune(net, gain=1.0 / (step + 1))  # change
            model(x).sum().backward()  # step
        """,
        {"reason": "0/0: self.gain == 1.0"},
    ),
    "a list that grows in a class": (
        "CA710",
        """
        # file: net.py
        import torch
        class Memory:
            def __init__(self):
                self.rows = []
            def keep(self, row):
                self.rows.append(row.detach())  # change
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.memory = Memory()
            def forward(self, x):  # compiled
                return x + sum(self.memory.rows)
        # file: train.py
        import torch
        from net import Net
        net = Net()
        model = torch.compile(net)
        for x in loader:
            model(x).sum().backward()  # step
            net.memory.keep(x)
        """,
        {"reason": "0/0: len(self.memory.rows) == 0"},
    ),
    "gradients needed in a helper": (
        "CA708",
        """
        # file: attack.py
        def prepared(x, attacks):
            if attacks:
                x = x.clone().requires_grad_(True)  # change
            return x
        # file: train.py
        import torch
        from attack import prepared
        @torch.compile
        def loss_of(x):  # compiled
            return x.square().sum()
        for step, x in enumerate(loader):
            loss_of(prepared(x, step % 3 == 0)).backward()  # step
        """,
        {"reason": "0/0: tensor 'x' requires_grad mismatch. expected requires_grad=0"},
    ),
    "a precision that a context gives": (
        "CA708",
        """
        # file: train.py
        import torch
        @torch.compile
        def loss_of(x):  # compiled
            return x.square().sum()
        def encoded(x, half):
            with torch.autocast("cpu", torch.bfloat16, enabled=half):  # change
                return encoder(x)
        for step, x in enumerate(loader):
            loss_of(encoded(x, step % 2 == 0)).backward()  # step
        """,
        {"reason": "0/0: tensor 'x' dtype mismatch. expected BFloat16, actual Float"},
    ),
    "a field of a batch whose samples are of the same class": (
        "CA710",
        """
        # file: data.py
        from typing import NamedTuple
        import torch
        class Query(NamedTuple):
            question: torch.Tensor
            passages: list
        def collate(found):
            fewest = min(len(query.passages) for query in found)
            columns = zip(*(query.passages[:fewest] for query in found))
            passages = [torch.stack(column) for column in columns]  # change
            return Query(torch.stack([query.question for query in found]), passages)
        def queries(count):
            for index in range(count):
                passages = [torch.randn(8) for _ in range(3 + index // 4)]
                yield Query(torch.randn(8), passages)
        # file: train.py
        import torch
        from data import collate, queries
        class Reranker(torch.nn.Module):
            def forward(self, question, passages):  # compiled
                return torch.cat([self.score(question, one) for one in passages], dim=1)
        loader = torch.utils.data.DataLoader(list(queries(32)), 4, collate_fn=collate)
        reranker = torch.compile(Reranker())
        for batch in loader:
            reranker(batch.question, batch.passages).sum().backward()  # step
        """,
        {"reason": "0/0: len(passages) == 3", "key": "passages"},
    ),
    "a dataclass of lists that a function joins": (
        "CA710",
        """
        # file: data.py
        from dataclasses import dataclass
        import torch
        @dataclass
        class Views:
            crops: list
        def joined(rows):
            shared = min(len(row.crops) for row in rows)
            crops = [torch.stack([row.crops[at] for row in rows]) for at in range(shared)]  # change
            return Views(crops)
        class Pictures:
            def __getitem__(self, index):
                return Views([torch.randn(3, 8, 8) for _ in range(2 + index % 3)])
        # file: train.py
        import torch
        from data import Pictures, joined
        def main():
            loader = torch.utils.data.DataLoader(Pictures(), 4, collate_fn=joined)
            encode = torch.compile(encoder)
            for views in loader:
                encode(views.crops).sum().backward()  # step
        def encoder(crops):  # compiled
            return sum(crop.mean() for crop in crops)
        main()
        """,
        {"reason": "0/0: len(crops) == 2", "key": "crops"},
    ),
    "a dictionary that a collate function leaves a key out of": (
        "CA710",
        """
        # file: data.py
        import torch
        def columns(rows):
            first, *_ = rows
            return [name for name in first if all(row[name] is not None for row in rows)]
        def collate(rows):
            return {k: torch.tensor([row[k] for row in rows]) for k in columns(rows)}  # change
        # file: train.py
        import torch
        from data import collate
        class Ranker(torch.nn.Module):
            def forward(self, batch):  # compiled
                return sum(self.parts[name](values) for name, values in batch.items())
        loader = torch.utils.data.DataLoader(rows, batch_size=2, collate_fn=collate)
        compiled = torch.compile(Ranker())
        for batch in loader:
            compiled(batch).sum().backward()  # step
        """,
        {"reason": "0/0: len(batch) != 4", "key": "batch"},
    ),
    "a list as long as its batch": (
        "CA710",
        """
        # file: train.py
        import torch
        @torch.compile
        def pooled(graphs):  # compiled
            return sum(graph.mean() for graph in graphs)
        loader = torch.utils.data.DataLoader(graphs, batch_size=4, collate_fn=list)  # change
        for batch in loader:
            pooled(batch).backward()  # step
        """,
        {"reason": "0/0: len(graphs) == 4", "key": "graphs"},
    ),
    "a number in what goes on after a graph break": (
        "CA702",
        """
        # file: mixing.py
        import random
        class Mixup:
            @property
            def share(self):
                return random.betavariate(0.4, 0.4)
        # file: train.py
        import torch
        from mixing import Mixup
        class Tagger(torch.nn.Module):
            def forward(self, spectra, share):
                hidden = self.frames(masked(spectra).transpose(1, 2)).mean(1)  # backward, compiled
                return share * hidden + (1 - share) * hidden.flip(0)
        mixup = Mixup()
        compiled = torch.compile(Tagger())
        for spectra in clips(8):
            share = mixup.share  # change
            compiled(spectra, share).sum().backward()  # step
        """,
        {"reason": "1/0: share == 0.0020675636476619576", "key": "share", "function": "forward"},
    ),
    "a dtype beside the rank that torch names": (
        "CA708",
        """
        # file: train.py
        import torch
        from frames import both
        class Frequency(torch.nn.Module):
            def forward(self, features, claims):  # compiled
                return (self.out(features).flatten() - claims.flatten()).mean()
        likelihood = torch.compile(Frequency())
        for features, claims in both():
            loss = likelihood(features, claims)  # step, change
            loss.backward()
        """,
        {
            "reason": "0/0: tensor 'claims' rank mismatch. expected 1, actual 2",
            "key": "features",
            "function": "forward",
        },
    ),
    "a batch that a class method makes": (
        "CA702",
        """
        # file: data.py
        from dataclasses import dataclass
        import torch
        @dataclass
        class Batch:
            images: torch.Tensor
            weight: float
            @classmethod
            def of(cls, rows, step):
                images = torch.stack(rows)
                weight = 0.5 / (step + 1)  # change
                return cls(images, weight)
        # file: train.py
        import torch
        from data import Batch
        @torch.compile
        def weighted(images, weight):  # compiled
            return images.square().mean() * weight
        for step, rows in enumerate(loader):
            batch = Batch.of(rows, step)
            weighted(batch.images, batch.weight).backward()  # step
        """,
        {"reason": "0/0: weight == 0.5", "key": "weight"},
    ),
    "a batch that the class of another makes": (
        "CA702",
        """
        # file: data.py
        from dataclasses import dataclass
        import torch
        @dataclass
        class Batch:
            images: torch.Tensor
            weight: float
            def weighted(self, step):
                return type(self)(self.images, weight=0.5**step)  # change
        # file: train.py
        import torch
        from data import Batch
        @torch.compile
        def weighted(images, weight):  # compiled
            return images.square().mean() * weight
        for step, rows in enumerate(loader):
            batch = Batch(rows, 1.0).weighted(step)
            weighted(batch.images, batch.weight).backward()  # step
        """,
        {"reason": "0/0: weight == 0.5", "key": "weight"},
    ),
    "a batch that another's __class__ makes": (
        "CA702",
        """
        # file: data.py
        from dataclasses import dataclass
        import torch
        @dataclass
        class Batch:
            images: torch.Tensor
            weight: float
            def weighted(self, step):
                heavier = 0.5**step  # change
                return self.__class__(self.images, heavier)
        # file: train.py
        import torch
        from data import Batch
        @torch.compile
        def weighted(images, weight):  # compiled
            return images.square().mean() * weight
        for step, rows in enumerate(loader):
            batch = Batch(rows, 1.0).weighted(step)
            weighted(batch.images, batch.weight).backward()  # step
        """,
        {"reason": "0/0: weight == 0.5", "key": "weight"},
    ),
    "a sum that begins as a number, added to by a method": (
        "CA702",
        """
        # file: losses.py
        import torch
        class Losses:
            def __init__(self, net):
                self.net = net
                self.add = torch.compile(self._add)
            def _add(self, total, x, y):  # compiled
                return total + (self.net(x) - y).square().mean()
            def over(self, crops, y):
                total = 0.0  # change
                for x in crops:
                    total = self.add(total, x, y)
                return total
        # file: train.py
        from losses import Losses
        losses = Losses(net)
        for crops, y in loader:
            losses.over(crops, y).backward()  # step
        """,
        {"reason": "0/0: total == 0.0", "key": "total"},
    ),
    "a sum that begins as a number, one of two results": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def cell(hidden, spent, x):  # compiled
            hidden = torch.tanh(hidden + x)
            spent = spent + hidden.abs().mean()
            return hidden, spent
        for sequence in loader:
            spent = 0.0  # change
            hidden = torch.zeros(8)
            for x in sequence:
                hidden, spent = cell(hidden, spent, x)
            (hidden.mean() + spent).backward()  # step
        """,
        {"reason": "0/0: spent == 0.0", "key": "spent"},
    ),
    "a sum that begins as a number, handed to a module": (
        "CA702",
        """
        # file: model.py
        import torch
        class Penalised(torch.nn.Module):
            def forward(self, x, penalty):  # compiled
                return self.layer(x), penalty + self.layer.weight.abs().sum()
        # file: train.py
        import torch
        from model import Penalised
        def main():
            layers = torch.nn.ModuleList(torch.compile(Penalised()) for _ in range(3))
            for x in loader:
                penalty = 0  # change
                for layer in layers:
                    x, penalty = layer(x, penalty)
                (x.mean() + penalty).backward()  # step
        main()
        """,
        {"reason": "0/0: penalty == 0", "key": "penalty"},
    ),
    "a word of the batch that picks a head": (
        "CA703",
        """
        # file: model.py
        import torch
        class Doses(torch.nn.Module):
            def forward(self, x, pump):  # compiled
                hidden = self.encoder(x)
                return self.heads[pump](hidden)  # change
        # file: train.py
        import torch
        from model import Doses
        PUMPS = ("basal", "bolus", "loop")
        def visits():
            for number in range(16):
                yield {"pump": PUMPS[number % 3], "x": torch.randn(8, 24)}
        model = torch.compile(Doses())
        for visit in visits():
            model(visit["x"], visit["pump"]).sum().backward()  # step
        """,
        {"reason": "0/0: pump == 'basal'", "key": "pump"},
    ),
    "a word that picks a function of a table": (
        "CA703",
        """
        # file: train.py
        import torch
        ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}
        @torch.compile
        def layer(x, kind):  # compiled
            activation = ACTIVATIONS.get(kind)  # change
            return activation(x)
        for kind, x in zip(kinds(), loader):
            layer(x, kind).sum().backward()  # step
        """,
        {"reason": "0/0: kind == 'relu'", "key": "kind"},
    ),
    "a word that picks a method": (
        "CA703",
        """
        # file: train.py
        import torch
        class Tasks(torch.nn.Module):
            def forward(self, x, task):  # compiled
                return getattr(self, task)(self.body(x))  # change
        tasks = torch.compile(Tasks())
        for row in rows:
            tasks(row["x"], row["task"]).sum().backward()  # step
        """,
        {"reason": "0/0: task == 'depth'", "key": "task"},
    ),
    "a word that picks a tensor": (
        "CA703",
        """
        # file: train.py
        import torch
        @torch.compile
        def normal(x, site, means):  # compiled
            return x - means[site]
        for step, x in enumerate(loader):
            site = "north" if step % 2 else "south"  # change
            normal(x, site, means).sum().backward()  # step
        """,
        {"reason": "0/0: site == 'south'", "key": "site"},
    ),
    "a mask that is made for the first batch, and dropped by another branch": (
        "CA703",
        """
        # file: model.py
        import torch
        class Model(torch.nn.Transformer):
            def __init__(self, width):
                super().__init__(width)
                self.mask = None
                self.decoder = torch.nn.Linear(width, 8)
            def forward(self, src, has_mask=True):  # compiled
                if has_mask:
                    if self.mask is None or self.mask.size(0) != len(src):
                        self.mask = torch.tril(torch.ones(len(src), len(src)))  # change
                else:
                    self.mask = None
                output = self.encoder(src, mask=self.mask)
                output = self.decoder(output)
                return output
        # file: train.py
        import torch
        from model import Model
        model = torch.compile(Model(16))
        for batch in loader:
            model(batch).sum().backward()  # step
        """,
        {"reason": "0/0: self.mask is None", "key": "self.mask"},
    ),
    "a constant of each layer, where another class has one of that name": (
        "CA704",
        """
        # file: model.py
        import torch
        class Sampler(torch.nn.Module):
            def __init__(self, kept):
                super().__init__()
                self.kept = kept
            def forward(self, x):
                return x.topk(self.kept, dim=1).values
        class Block(torch.nn.Module):
            def __init__(self, width, kept):
                super().__init__()
                self.kept = kept  # change
                self.sampler = Sampler(kept)
            def forward(self, x):  # compiled
                return self.sampler(x) if x.size(1) > self.kept else x
        # file: train.py
        import torch
        from model import Block
        blocks = [Block(16, kept) for kept in (12, 8)]
        for block in blocks:
            block.compile()
        for x in loader:
            for block in blocks:
                x = block(x)  # step
            x.sum().backward()
        """,
        {"reason": "0/0: self.kept == 12", "key": "self.kept"},
    ),
    "the first layer's input, in a file where all forwards are": (
        "CA708",
        """
        # file: model.py
        import torch
        class Block(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.mlp(x)
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList(Block() for _ in range(4))
                self.head = torch.nn.Linear(8, 1)
            def forward(self, x):
                for block in self.blocks:
                    x = block(x)  # step, change
                return self.head(x.mean(1))
        # file: train.py
        from model import Net
        net = Net()
        for block in net.blocks:
            block.compile()
        for x in loader:
            net(x).sum().backward()  # main
        """,
        {
            "reason": "0/0: tensor 'x' requires_grad mismatch. expected requires_grad=0",
            "key": "x",
            "function": "forward",
        },
    ),
    "a cache that each round of a search is given by the one before": (
        "CA710",
        """
        # file: decoder.py
        import torch
        class Attention(torch.nn.Module):
            def forward(self, x, past=None):
                k = self.key(x)
                if past is not None:
                    k = torch.cat([past[0], k], dim=1)
                return x * k.mean(), (k,)
        class Decoder(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = Attention()
            def forward(self, token, past=None):  # compiled
                x, past = self.attention(self.tokens(token), past)
                return self.head(x), past
        # file: search.py
        def greedy(decode, token):
            words, past = [], None  # change
            for _ in range(9):
                logits, past = decode(token, past)  # step
                token = logits.argmax(-1)
                words.append(token)
            return words
        # file: train.py
        import torch
        from decoder import Decoder
        from search import greedy
        decode = torch.compile(Decoder().eval())
        for batch in loader:
            greedy(decode, batch)  # main
        """,
        {"reason": "0/0: past is None", "key": "past"},
    ),
    "a word that names what is logged": (
        "CA703",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, y, phase="train"):  # compiled
                loss = (self.out(x) - y).square().mean()
                return loss, {f"{phase}_loss": loss}  # change
        # file: train.py
        import torch
        from net import Net
        model = torch.compile(Net())
        def run(phase, batches):
            for x, y in batches:
                loss, logs = model(x, y, phase=phase)  # step
        run("train", loader)  # main
        run("val", others)
        """,
        {"reason": "0/0: phase == 'train'", "key": "phase"},
    ),
    "a state that is dropped where a session begins": (
        "CA703",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, state=None):  # compiled
                if state is None:
                    state = torch.zeros(len(x), 8)
                return self.out(x + state), state
        # file: train.py
        import torch
        from net import Net
        forward = torch.compile(Net())
        def main():
            logits, state = 0, None
            for burst in sessions():
                if burst.fresh:
                    state = None  # change
                logits, state = forward(burst.x, state)  # step
        main()  # main
        """,
        {"reason": "0/0: state is None", "key": "state"},
    ),
    "a list that a layer of another class is given too": (
        "CA710",
        """
        # file: gnn.py
        import torch
        from torch import nn
        class Relational(nn.Module):
            def forward(self, x, graph):
                for source, target in graph:
                    x = x.index_add(0, target, x[source])
                return torch.tanh(x)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList(Relational() for _ in range(2))
                self.demand = nn.Linear(12, 1)
            def forward(self, graph):  # compiled
                x = self.start.weight
                for layer in self.layers:
                    x = layer(x, graph)
                return self.demand(x)
        # file: market.py
        import torch
        def weeks(total, edges=40):
            for week in range(total):
                recorded = "abc" if week % 4 else "ab"
                graph = [torch.randint(30, (2, edges)) for _ in recorded]  # change
                yield graph, torch.rand(30)
        # file: train.py
        import torch
        from gnn import Net
        from market import weeks
        forward = torch.compile(Net())
        def main():
            for graph, degree in weeks(16):
                demand = forward(graph)  # step
                (demand - degree).square().mean().backward()
        main()  # main
        """,
        {"reason": "0/0: len(graph) == 2", "key": "graph"},
    ),
}

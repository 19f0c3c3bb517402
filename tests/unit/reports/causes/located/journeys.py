"""Values that travel far before a compiled function or a backward meets them.

As in `programs`: each was written, and its lines marked, before the search that finds one of them.
Where several lines are marked, an edit of any of them removes the cause.
"""

from __future__ import annotations

from typing import Any

_NET = """
# file: net.py
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
    def forward(self, x, given=None):  # compiled
        return self.body(x) if given is None else self.body(x) * given
"""

_CALLED_BY_A_LIBRARY = """
# file: net.py
import torch
class Student(torch.nn.Module):
    def forward(self, rows, labels, teacher=None):  # compiled
        loss = self.loss(rows, labels)
        if teacher is not None:  # change
            loss = loss + self.distance(rows, teacher)
        return {"loss": loss}
# file: train.py
from corpus import collator, rows
from net import Student
from transformers import Trainer, TrainingArguments
trainer = Trainer(Student(), TrainingArguments("out"), train_dataset=rows, data_collator=collator)
trainer.train()  # main
"""

NUMBERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "an argument of a partial, named as a comprehension's elsewhere": (
        "CA702",
        """
        # file: search.py
        import functools
        import torch
        from scores import scored
        class Search:
            def __init__(self, longest):
                self.longest = longest
                self.score = torch.compile(scored)
            def scorers(self):
                for place in range(self.longest):  # change
                    yield functools.partial(self.score, place=place)  # change
            def run(self, x):
                for score in self.scorers():
                    x = score(x)  # step, change
                return x
        # file: scores.py
        PENALTIES = [place**0.6 for place in range(64)]
        def scored(x, *, place):  # compiled
            return x / PENALTIES[place]  # change
        # file: train.py
        from search import Search
        Search(7).run(x)  # main
        """,
        {"reason": "0/0: place == 0"},
    ),
    "an attribute of a part of a part, set in a callback": (
        "CA704",
        """
        # file: callbacks.py
        from lightning.pytorch import Callback
        class MarginWarmup(Callback):
            def __init__(self, margins):
                self.margins = margins
            def on_train_epoch_start(self, trainer, module):
                place = min(trainer.current_epoch, len(self.margins) - 1)
                module.net.head.margin = self.margins[place]  # change
        # file: net.py
        import torch
        class Head(torch.nn.Module):
            def __init__(self, margin=0.0):
                super().__init__()
                self.margin = margin
            def forward(self, cosine):
                return cosine - self.margin
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = Head()
            def forward(self, x):  # compiled
                return self.head(x)
        # file: train.py
        import torch
        from callbacks import MarginWarmup
        from lightning.pytorch import LightningModule, Trainer
        from net import Net
        class Module(LightningModule):
            def __init__(self):
                super().__init__()
                self.net = Net()
                self.run = torch.compile(self.net)
            def training_step(self, batch, index):
                return self.run(batch).mean()  # step
        Trainer(callbacks=[MarginWarmup([0.1, 0.2])]).fit(Module(), loader)  # main
        """,
        {"reason": "0/0: self._modules['head'].margin == 0.1"},
    ),
    "a value of a configuration in another file": (
        "CA702",
        """
        # file: options.py
        OPTIONS = {"gamma": 2.0, "lr": 0.1}
        # file: losses.py
        import torch
        @torch.compile
        def focal(x, gamma):  # compiled
            return x.pow(gamma).mean()
        # file: train.py
        from losses import focal
        from options import OPTIONS
        def step(x):
            focal(x, OPTIONS["gamma"]).backward()  # step
        def main():
            for epoch in range(4):
                for x in loader:
                    step(x)  # main
                OPTIONS["gamma"] *= 0.9  # change
        main()
        """,
        {"reason": "0/0: gamma == 2.0"},
    ),
    "a field of a state that a scheduler moves": (
        "CA702",
        """
        # file: state.py
        from dataclasses import dataclass
        @dataclass
        class Annealing:
            beta: float = 0.0
            by: float = 0.1
            def advance(self):
                self.beta = min(1.0, self.beta + self.by)  # change
        # file: train.py
        import torch
        from net import elbo
        from state import Annealing
        annealing = Annealing(by=0.2)
        for epoch in range(5):
            for x in loader:
                elbo(x, annealing.beta).backward()  # step
            annealing.advance()
        # file: net.py
        import torch
        @torch.compile
        def elbo(x, beta):  # compiled
            return x.square().mean() + beta * x.abs().mean()
        """,
        {"reason": "0/0: beta == 0.0"},
    ),
    "a number that an object gives when it is called": (
        "CA701",
        """
        # file: sampling.py
        import random
        class Sampler:
            def __init__(self, most):
                self.most = most
                self.rng = random.Random(0)
            def __call__(self):
                return self.rng.randint(1, self.most)  # change
        # file: train.py
        import torch
        from net import mixed
        from sampling import Sampler
        class Trainer:
            def __init__(self):
                self.sampler = Sampler(4)
                self.mixed = torch.compile(mixed)
            def step(self, x):
                count = self.sampler()
                return self.mixed(x, count)  # step
        trainer = Trainer()
        for x in loader:
            trainer.step(x).backward()  # main
        # file: net.py
        def mixed(x, count):  # compiled
            return sum(x.roll(place) for place in range(count))
        """,
        {"reason": "0/0: count == 1"},
    ),
    "a number that is looked up in a list": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def loss_of(x, weight):  # compiled
            return (x * weight).sum()
        WEIGHTS = [1.0, 0.5, 0.25]
        class Trainer:
            def epoch(self, number):
                weight = WEIGHTS[number]  # change
                for x in loader:
                    loss_of(x, weight).backward()  # step
        trainer = Trainer()
        for number in range(3):
            trainer.epoch(number)  # main
        """,
        {"reason": "0/0: weight == 1.0"},
    ),
    "a number that __next__ gives": (
        "CA702",
        """
        # file: data.py
        import torch
        class Curriculum:
            def __init__(self, steps):
                self.at, self.steps = 0, steps
            def __iter__(self):
                return self
            def __next__(self):
                if self.at == self.steps:
                    raise StopIteration
                self.at += 1
                noise = 1.0 / self.at  # change
                return torch.randn(4, 8), noise
        # file: train.py
        import torch
        from data import Curriculum
        def denoise(x, noise):  # compiled
            return (x + noise * torch.randn_like(x)).sum()
        run = torch.compile(denoise)
        for x, noise in Curriculum(6):
            run(x, noise).backward()  # step
        """,
        {"reason": "0/0: noise == 1.0"},
    ),
    "keyword arguments that are collected": (
        "CA702",
        """
        # file: train.py
        import torch
        from net import net
        model = torch.compile(net)
        for step, x in enumerate(loader):
            options = {"scale": 1.0}
            if step > 3:
                options["scale"] = 1.0 / step  # change
            model(x, **options).backward()  # step
        # file: net.py
        def net(x, scale):  # compiled
            return (x * scale).sum()
        """,
        {"reason": "0/0: scale == 1.0"},
    ),
    "a property that is computed": (
        "CA703",
        """
        # file: phases.py
        class Phases:
            def __init__(self, warm):
                self.warm, self.step = warm, 0
            @property
            def name(self):
                return "warm" if self.step < self.warm else "main"
        # file: train.py
        import torch
        from net import forward
        from phases import Phases
        phases = Phases(3)
        model = torch.compile(forward)
        for x in loader:
            model(x, phases.name).sum().backward()  # step, change
            phases.step += 1
        # file: net.py
        def forward(x, mode):  # compiled
            return x.sin() if mode == "warm" else x.cos()
        """,
        {"reason": "0/0: mode == 'warm'"},
    ),
    "a schedule that is a lambda": (
        "CA702",
        """
        # file: train.py
        import torch
        def loss_of(x, rate):  # compiled
            return (x * rate).sum()
        class Trainer:
            def __init__(self, steps):
                self.rate = lambda step: 1.0 - step / steps  # change
                self.loss = torch.compile(loss_of)
            def fit(self, loader):
                for step, x in enumerate(loader):
                    rate = self.rate(step)  # change
                    self.loss(x, rate).backward()  # step
        Trainer(9).fit(loader)  # main
        """,
        {"reason": "0/0: rate == 1.0"},
    ),
    "a mode that comes round by itertools": (
        "CA703",
        """
        # file: train.py
        import itertools
        import torch
        def forward(x, view):  # compiled
            return x.flip(-1) if view == "mirrored" else x
        class Trainer:
            def __init__(self):
                self.views = itertools.cycle(["plain", "mirrored"])  # change
                self.model = torch.compile(forward)
            def step(self, x):
                view = next(self.views)  # change
                return self.model(x, view)  # step
        trainer = Trainer()
        for x in loader:
            trainer.step(x).sum().backward()  # main
        """,
        {"reason": "0/0: view == 'plain'"},
    ),
    "an item of a tensor": (
        "CA702",
        """
        # file: train.py
        import torch
        from losses import weighted
        class Balancer:
            def __init__(self):
                self.average = 1.0
            def update(self, loss):
                self.average = 0.9 * self.average + 0.1 * loss.item()  # change
        balancer = Balancer()
        for x in loader:
            loss = weighted(x, balancer.average)  # step
            loss.backward()
            balancer.update(loss)
        # file: losses.py
        import torch
        @torch.compile
        def weighted(x, average):  # compiled
            return (x / average).square().mean()
        """,
        {"reason": "0/0: average == 1.0"},
    ),
    "a number that a helper of another file computes": (
        "CA702",
        """
        # file: schedules.py
        import math
        def cosine(step, steps):
            done = step / steps
            return 0.5 + 0.5 * math.cos(math.pi * done)  # change
        # file: train.py
        import torch
        from schedules import cosine
        @torch.compile
        def mix(x, y, share):  # compiled
            return (share * x + (1 - share) * y).sum()
        def run(steps):
            for step in range(steps):
                mix(next(xs), next(ys), share=cosine(step, steps)).backward()  # step, change
        run(9)  # main
        """,
        {"reason": "0/0: share == 1.0"},
    ),
}

OBJECTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a function that is made again in each step": (
        "CA706",
        """
        # file: losses.py
        def focal(gamma):
            def loss(x):
                return x.abs().pow(gamma).mean()
            return loss
        # file: train.py
        import torch
        from losses import focal
        @torch.compile
        def applied(x, criterion):  # compiled
            return criterion(x)
        class Trainer:
            def step(self, x):
                criterion = focal(2.0)  # change
                return applied(x, criterion)  # step
        trainer = Trainer()
        for x in loader:
            trainer.step(x).backward()  # main
        """,
        {"reason": "0/0: ___check_obj_id(criterion, 1)"},
    ),
    "an attribute of an argument whose class was recorded": (
        "CA704",
        """
        # file: train.py
        import torch
        from rows import packed
        @torch.compile
        def mean(rows):  # compiled
            return rows.data.sum() / rows.count
        class Meter:
            def __init__(self):
                self.count = 0
            def seen(self, count):
                self.count = count
        meter = Meter()
        rows = torch.ones(3)
        for limit in limits:
            mean(packed(rows, limit)).backward()  # step
            meter.seen(1)
        # file: rows.py
        class Rows:
            def __init__(self, data, count):
                self.data = data
                self.count = count
        def packed(rows, limit):
            return Rows(rows, limit)  # change
        """,
        {"reason": "0/0: rows.count == 3", "given": {"rows": "rows.Rows"}},
    ),
    "an object that a function makes for each step": (
        "CA706",
        """
        # file: train.py
        import torch
        from precision import half
        @torch.compile
        def loss(x, context):  # compiled
            with context:
                return x.square().mean()
        for x in loader:
            loss(x, half()).backward()  # step, change
        # file: precision.py
        import torch
        def half(enabled=True):
            return torch.autocast("cpu", enabled=enabled)
        """,
        {"reason": "0/0: Cache line invalidated because L['context'] got deallocated"},
    ),
    "an object that a function makes for each step, under a name": (
        "CA706",
        """
        # file: train.py
        import torch
        def half(enabled=True):
            return torch.autocast("cpu", enabled=enabled)
        @torch.compile
        def loss(x, context):  # compiled
            with context:
                return x.square().mean()
        for x in loader:
            context = half()  # change
            loss(x, context).backward()  # step
        """,
        {"reason": "0/0: Cache line invalidated because L['context'] got deallocated"},
    ),
    "functions that take turns": (
        "CA706",
        """
        # file: train.py
        import torch
        from views import VIEWS
        class Step:
            def __init__(self):
                self.loss = torch.compile(self._loss)
            def _loss(self, x, view):  # compiled
                return view(x).square().mean()
        def main(names):
            step = Step()
            views = [VIEWS[name] for name in names]
            for x in loader:
                for view in views:  # change
                    step.loss(x, view).backward()  # step, change
        main(("plain", "turned"))
        # file: views.py
        VIEWS = {}
        def view(function):
            VIEWS[function.__name__] = function
            return function
        @view
        def plain(x):
            return x
        @view
        def turned(x):
            return x.flip(-1)
        """,
        {"reason": "0/0: ___check_obj_id(view.__code__, 1), type=<class 'code'>"},
    ),
}

KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "batches of two classes that __iter__ gives": (
        "CA707",
        """
        # file: batches.py
        import torch
        class Labelled:
            def __init__(self, columns, labels):
                self.columns, self.labels = columns, labels
        class Unlabelled:
            def __init__(self, columns):
                self.columns = columns
        class Alternating:
            def __iter__(self):
                for step in range(12):
                    columns = torch.randn(8, 7)
                    if step % 4 == 3:
                        yield Unlabelled(columns)  # change
                    else:
                        yield Labelled(columns, columns.argmax(1))
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, batch):  # compiled
                return self.body(batch.columns).sum()
        # file: train.py
        from batches import Alternating
        from net import Net
        model = Net()
        model.compile()
        for batch in Alternating():
            model(batch).backward()  # step
        """,
        {"reason": "0/0: expected type of 'batch' to be a Labelled, ' but found Unlabelled"},
    ),
    "a list or a tuple by a collate function": (
        "CA707",
        """
        # file: data.py
        from torch.utils.data import DataLoader
        def together(samples):
            views = [sample.view for sample in samples]
            if len(samples) > 4:
                return tuple(views)  # change
            return views
        def loader_of(samples):
            return DataLoader(samples, batch_size=8, collate_fn=together)
        # file: train.py
        import torch
        from data import loader_of
        @torch.compile
        def contrast(views):  # compiled
            return sum(view.sum() for view in views)
        for views in loader_of(samples):
            contrast(views).backward()  # step
        """,
        {"reason": "0/0: expected type of 'views' to be a list, ' but found tuple"},
    ),
    "a number or a tensor by a helper": (
        "CA707",
        """
        # file: scales.py
        import torch
        def scale_at(step):
            if step < 5:
                return 1.0  # change
            return torch.tensor(0.5)  # change
        # file: train.py
        import torch
        from scales import scale_at
        @torch.compile
        def scaled(x, scale):  # compiled
            return (x * scale).sum()
        for step, x in enumerate(loader):
            scale = scale_at(step)
            scaled(x, scale).backward()  # step
        """,
        {"reason": "0/0: expected type of 'scale' to be a float, ' but found Tensor"},
    ),
    "the output of one of two modules that is an object": (
        "CA707",
        """
        # file: encoders.py
        from dataclasses import dataclass
        import torch
        @dataclass
        class Plain:
            rows: torch.Tensor
        @dataclass
        class Pooled:
            rows: torch.Tensor
            weights: torch.Tensor
        def encoded(x, pool):
            if pool:
                return Pooled(x, x.mean(1))  # change
            return Plain(x)
        # file: train.py
        import torch
        from encoders import encoded
        @torch.compile
        def score(output):  # compiled
            return output.rows.sum()
        class Trainer:
            def step(self, x, pool):
                output = encoded(x, pool)
                return score(output)  # step
        trainer = Trainer()
        for number, x in enumerate(loader):
            trainer.step(x, pool=number % 2 == 1).backward()  # main
        """,
        {"reason": "0/0: expected type of 'output' to be a Plain, ' but found Pooled"},
    ),
}

NONES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "an argument that a trainer of a library takes from a collator": (
        "CA703",
        """
        # file: corpus.py
        import torch
        class Collator:
            def __init__(self, every):
                self.every, self.made = every, 0
            def __call__(self, rows):
                batch = {
                    "rows": torch.stack([row["rows"] for row in rows]),
                    "labels": torch.tensor([row["labels"] for row in rows]),
                }
                if self.made % self.every == 0:  # change
                    batch["teacher"] = torch.stack([row["teacher"] for row in rows])  # change
                self.made += 1
                return batch
        collator = Collator(2)
        """
        + _CALLED_BY_A_LIBRARY,
        {"reason": "0/0: teacher is None"},
    ),
    "an argument that a trainer of a library takes from a function": (
        "CA703",
        """
        # file: corpus.py
        import torch
        def collator(rows):
            stacked = {name: torch.stack([row[name] for row in rows]) for name in rows[0]}
            if stacked["labels"].sum() > 3:  # change
                stacked.pop("teacher")  # change
            return stacked
        """
        + _CALLED_BY_A_LIBRARY,
        {"reason": "0/0: teacher is None"},
    ),
    "what a dictionary may have": (
        "CA703",
        """
        # file: data.py
        import torch
        class Batches:
            def __iter__(self):
                for number in range(9):
                    batch = {"x": torch.randn(4, 8)}
                    if number % 3 == 2:  # change
                        batch["given"] = torch.rand(4, 8)  # change
                    yield batch
        # file: train.py
        import torch
        from data import Batches
        from net import Net
        model = torch.compile(Net())
        for batch in Batches():
            given = batch.get("given")
            model(batch["x"], given).sum().backward()  # step
        """
        + _NET,
        {"reason": "0/0: given is None"},
    ),
    "a helper that gives nothing at first": (
        "CA703",
        """
        # file: memory.py
        import torch
        class Memory:
            def __init__(self):
                self.rows = []
            def keep(self, row):
                self.rows.append(row)
            def read(self):
                if not self.rows:  # change
                    return None  # change
                return torch.stack(self.rows).mean(0)
        # file: train.py
        import torch
        from memory import Memory
        from net import Net
        memory = Memory()
        model = torch.compile(Net())
        for x in loader:
            out = model(x, memory.read())  # step
            out.sum().backward()
            memory.keep(out.detach())
        """
        + _NET,
        {"reason": "0/0: given is None"},
    ),
    "a state that is none at first": (
        "CA703",
        """
        # file: train.py
        import torch
        from net import Net
        class Trainer:
            def __init__(self):
                self.model = torch.compile(Net())
                self.state = None  # change
            def reset(self):
                self.state = None  # change
            def step(self, x):
                out = self.model(x, self.state)  # step
                self.state = out.detach()  # change
                out.sum().backward()
        trainer = Trainer()
        for x in loader:
            trainer.step(x)  # main
        """
        + _NET,
        {"reason": "0/0: given is None"},
    ),
    "an optional field": (
        "CA703",
        """
        # file: samples.py
        from dataclasses import dataclass
        import torch
        @dataclass
        class Sample:
            x: torch.Tensor
            weight: torch.Tensor | None = None
        def samples(count):
            for number in range(count):
                x = torch.randn(4, 8)
                weight = x.abs() if number % 2 else None  # change
                yield Sample(x, weight)
        # file: train.py
        import torch
        from net import Net
        from samples import samples
        model = torch.compile(Net())
        for sample in samples(9):
            model(sample.x, sample.weight).sum().backward()  # step
        """
        + _NET,
        {"reason": "0/0: given is None"},
    ),
}

TENSORS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "pairs of which the first is one tensor": (
        "CA714",
        """
        # file: clips.py
        class Clip:
            def __init__(self, frames):
                self.frames = frames
            def pairs(self):
                previous = self.frames[0]  # change
                for frame in self.frames:
                    yield previous, frame  # change
                    previous = frame
        # file: train.py
        import torch
        from clips import Clip
        from net import Net
        estimate = torch.compile(Net())
        for clip in map(Clip, videos):
            for previous, frame in clip.pairs():
                flow = estimate(previous, frame)  # step, change
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, previous, frame):  # compiled
                return self.body(previous - frame)
        """,
        {"reason": "0/0: previous is frame"},
    ),
    "a helper that gives back what it was given": (
        "CA714",
        """
        # file: noise.py
        import torch
        def corrupted(x, share):
            if share == 0:  # change
                return x  # change
            return x * (torch.rand_like(x) > share)
        # file: train.py
        import torch
        from net import denoise
        from noise import corrupted
        run = torch.compile(denoise)
        for step, clean in enumerate(loader):
            noisy = corrupted(clean, 0.1 * (step % 3))
            run(noisy, clean).backward()  # step
        # file: net.py
        def denoise(noisy, clean):  # compiled
            return (noisy - clean).square().mean()
        """,
        {"reason": '0/0: Duplicate tensors found: "noisy", "clean"'},
    ),
    "two entries of a dictionary": (
        "CA714",
        """
        # file: data.py
        def views(x, augment):
            if augment:
                return {"left": x, "right": x.flip(-1)}
            return {"left": x, "right": x}  # change
        # file: train.py
        import torch
        from data import views
        @torch.compile
        def contrast(left, right):  # compiled
            return (left * right).sum()
        for step, x in enumerate(loader):
            contrast(**views(x, step % 2 == 0)).backward()  # step
        """,
        {"reason": "0/0: left is right"},
    ),
    "one of two tensors that are assigned in one line": (
        "CA714",
        """
        # file: train.py
        import torch
        @torch.compile
        def mixed(left, right):  # compiled
            return (left * right).sum()
        def main():
            x, y = torch.randn(8), torch.ones(8)
            for step in range(9):
                mixed(x, x if step % 2 else y)  # step, change
        main()
        """,
        {"reason": "0/0: left is right"},
    ),
    "two tensors of a library's": (
        "CA714",
        """
        # file: train.py
        import torch
        from elsewhere import pairs
        @torch.compile
        def mixed(left, right):  # compiled
            return (left * right).sum()
        for _ in range(9):
            left, right = pairs.sample()  # change
            mixed(left, right)  # step, change
        """,
        {"reason": "0/0: left is right"},
    ),
    "modes of gradients that decorators give": (
        "CA708",
        """
        # file: serving.py
        import torch
        class Live:
            def __init__(self, model):
                self.model = model
            @torch.inference_mode()  # change
            def __call__(self, rows):
                return self.model(rows).tolist()  # step
        class Shadow:
            def __init__(self, model):
                self.model = model
            @torch.no_grad()  # change
            def __call__(self, rows):
                return self.model(rows).tolist()
        # file: train.py
        import torch
        from net import Net
        from serving import Live, Shadow
        model = torch.compile(Net())
        live, shadow = Live(model), Shadow(model)
        for number, rows in enumerate(loader):
            live(rows)  # main
            if number % 4 == 3:
                shadow(rows)
        """
        + _NET,
        {
            "reason": (
                "0/0: tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, "
                "BackendSelect), actual DispatchKeySet(CPU, BackendSelect, ADInplaceOrView)"
            )
        },
    ),
    "tensors made in inference mode": (
        "CA708",
        """
        # file: features.py
        import torch
        class Extractor:
            def __init__(self, body):
                self.body = body
            def __call__(self, x):
                with torch.inference_mode():  # change
                    return self.body(x)
        # file: train.py
        import torch
        from features import Extractor
        from net import Net
        extract = Extractor(body)
        model = torch.compile(Net())
        for number, x in enumerate(loader):
            rows = extract(x) if number % 2 else x
            model(rows).sum().backward()  # step
        """
        + _NET,
        {
            "reason": (
                "0/0: tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, "
                "BackendSelect, ADInplaceOrView, AutogradCPU), actual DispatchKeySet(CPU, "
                "BackendSelect)"
            )
        },
    ),
    "a mask of truths that a collator makes where lengths differ": (
        "CA708",
        """
        # file: collate.py
        import torch
        class Collater:
            def __init__(self, longest):
                self.longest = longest
            def __call__(self, samples):
                lengths = torch.tensor([len(one) for one in samples])
                if bool((lengths == self.longest).all()):
                    mask = torch.ones(len(samples), self.longest)
                else:
                    mask = torch.arange(self.longest) < lengths[:, None]  # change
                return {"x": torch.stack(samples), "mask": mask}
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, mask):  # compiled
                return self.head(x * mask)
        # file: train.py
        import torch
        from collate import Collater
        from net import Net
        from torch.utils.data import DataLoader
        loader = DataLoader(rows, batch_size=4, drop_last=True, collate_fn=Collater(9))
        model = torch.compile(Net())
        for batch in loader:
            model(batch["x"], batch["mask"]).sum().backward()  # step
        """,
        {"reason": "0/0: tensor 'mask' dtype mismatch. expected Float, actual Bool"},
    ),
    "a precision of a dataset's samples": (
        "CA708",
        """
        # file: data.py
        import torch
        from torch.utils.data import Dataset
        class Rows(Dataset):
            def __init__(self, rows):
                self.rows = rows
            def __len__(self):
                return len(self.rows)
            def __getitem__(self, index):
                row = self.rows[index]
                return {"x": row.double() if index % 2 else row}  # change
        # file: train.py
        import torch
        from data import Rows
        from net import Net
        model = torch.compile(Net())
        for batch in Rows(rows):
            model(batch["x"]).sum().backward()  # step
        """
        + _NET,
        {"reason": "0/0: tensor 'x' dtype mismatch. expected Float, actual Double"},
    ),
    "drafts of a length that follows success": (
        "CA103",
        """
        # file: speculate.py
        import torch
        class Length:
            def __init__(self, now, shortest):
                self.now, self.shortest = now, shortest
            def update(self, accepted):
                self.now = max(self.shortest, accepted)  # change
        class Speculator:
            def __init__(self, draft, target):
                self.draft, self.target = draft, target
                self.verify = torch.compile(target, dynamic=True)
                self.length = Length(3, 1)
            def drafted(self, tokens):
                draft = tokens[-1:]
                for _ in range(self.length.now - 1):
                    draft = torch.cat([draft, self.draft(draft)[-1:]])
                return draft
            def step(self, tokens):
                draft = self.drafted(tokens)
                wanted = self.verify(draft)  # step, change
                self.length.update(int((wanted == draft).sum()))
                return torch.cat([tokens, wanted])
        # file: net.py
        import torch
        class Target(torch.nn.Module):
            def forward(self, drafted):  # compiled
                return self.head(drafted)
        # file: train.py
        from net import Target
        from speculate import Speculator
        speculator = Speculator(draft, Target())
        while len(tokens) < 24:
            tokens = speculator.step(tokens)  # main
        """,
        {"reason": "0/0: 2 <= drafted.size()[0]"},
    ),
}

CONTAINERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a list of a trainer's that is given as an argument": (
        "CA710",
        """
        # file: train.py
        import torch
        from net import Net
        class Trainer:
            def __init__(self):
                self.history = []
                self.model = torch.compile(Net())
            def step(self, x):
                out = self.model(x, self.history)  # step
                self.remember(out)
                out.sum().backward()
            def remember(self, out):
                self.history.append(out.detach())  # change
        trainer = Trainer()
        for x in loader:
            trainer.step(x)  # main
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, past):  # compiled
                return x + sum(past)
        """,
        {"reason": "0/0: len(past) == 0"},
    ),
    "as many crops as a collate function cuts": (
        "CA710",
        """
        # file: crops.py
        import random
        class Cropper:
            def __init__(self, most):
                self.most = most
            def __call__(self, images):
                count = random.randint(1, self.most)  # change
                return [images[..., place : place + 8] for place in range(count)]  # change
        # file: train.py
        import torch
        from crops import Cropper
        @torch.compile
        def loss_of(crops):  # compiled
            return sum(crop.mean() for crop in crops)
        cropper = Cropper(4)
        for images in loader:
            loss_of(cropper(images)).backward()  # step, change
        """,
        {"reason": "0/0: len(crops) == 1"},
    ),
    "keys that a dataset adds": (
        "CA711",
        """
        # file: data.py
        import torch
        def survey(count):
            for number in range(count):
                answer = {"x": torch.randn(4, 8)}
                if number % 3 == 1:  # change
                    answer["weight"] = torch.rand(4)  # change
                yield answer
        # file: train.py
        import torch
        from data import survey
        @torch.compile
        def loss_of(batch):  # compiled
            loss = batch["x"].square().mean(1)
            return (loss * batch["weight"]).sum() if "weight" in batch else loss.sum()
        for batch in survey(9):
            loss_of(batch).backward()  # step
        """,
        {"reason": "0/0: not ___dict_contains('weight', batch)"},
    ),
}

BACKWARDS_OF_PARTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "some of several losses": (
        "CA209",
        """
        # file: objective.py
        import random
        class ExitSampler:
            def __init__(self, exits):
                self.exits, self.rng = exits, random.Random(1)
            def __call__(self):
                return self.rng.randint(1, self.exits)  # change
        def losses_of(answers, labels):
            return [loss(answer, labels) for answer in answers]  # forward
        # file: train.py
        import torch
        from objective import ExitSampler, losses_of
        class Trainer:
            def __init__(self, net):
                self.net, self.sampler = net, ExitSampler(3)
            def step(self, x, labels):
                losses = losses_of(self.net(x), labels)
                chosen = losses[: self.sampler()]  # change
                torch.autograd.backward(chosen)  # backward, change
        trainer = Trainer(net)
        for x, labels in loader:
            trainer.step(x, labels)  # main
        """,
        {},
    ),
    "one of several losses by its name": (
        "CA209",
        """
        # file: losses.py
        def every(out, wanted):
            return {
                "class": cross_entropy(out, wanted),  # forward
                "size": out.square().mean(),
            }
        # file: train.py
        from losses import every
        def step(model, x, wanted, name):
            losses = every(model(x), wanted)
            losses[name].backward()  # backward, change
        for number, (x, wanted) in enumerate(loader):
            step(model, x, wanted, ("class", "size")[number % 2])  # main
        """,
        {},
    ),
    "losses that a list is filled with": (
        "CA209",
        """
        # file: train.py
        import torch
        def step(model, x, number):
            losses = [model(x).mean()]  # forward
            if number % 2:  # change
                losses.append(model.extra(x).mean())  # change
            torch.autograd.backward(losses)  # backward
        for number, x in enumerate(loader):
            step(model, x, number)  # main
        """,
        {},
    ),
    "a loop in a helper of the line that was noted": (
        "CA203",
        """
        # file: model.py
        import torch
        class Reasoner(torch.nn.Module):
            def iterate(self, state, embedded, depth):
                for _ in range(depth):  # change
                    state = torch.tanh(self.inner(state) + embedded)
                return state
            def forward(self, tokens, depth):
                embedded = self.embed(tokens)
                state = self.iterate(torch.zeros_like(embedded), embedded, depth)  # forward
                return self.head(state)
        # file: train.py
        from model import Reasoner
        from schedule import depths
        model = Reasoner()
        for tokens, targets in loader:
            logits = model(tokens, depths.sample())
            cross_entropy(logits, targets).backward()  # step
        # file: schedule.py
        import random
        class Depths:
            def sample(self):
                return random.randint(1, 3)
        depths = Depths()
        """,
        {},
    ),
    "a loop in another file's function": (
        "CA203",
        """
        # file: solver.py
        def solved(field, x, times):
            for before, after in zip(times[:-1], times[1:]):  # change
                x = x + (after - before) * field(x)
            return x
        # file: train.py
        from solver import solved
        def step(field, x, times):
            end = solved(field, x, times)  # forward
            end.square().mean().backward()  # backward
        for x, times in loader:
            step(field, x, times)  # main
        """,
        {},
    ),
    "two states that are one tensor at first": (
        "CA212",
        """
        # file: tagger.py
        import torch
        class Tagger(torch.nn.Module):
            def first(self, rows):
                h = c = torch.zeros(rows, self.width)  # change
                return h, c
            def forward(self, tokens, state):
                for token in tokens.unbind(1):
                    state = self.cell(token, state)  # forward
                return self.head(state[0]), tuple(part.detach() for part in state)
        # file: train.py
        from tagger import Tagger
        model = Tagger()
        for tokens, wanted in documents:
            state = model.first(len(tokens))
            for piece in tokens.split(4, 1):
                logits, state = model(piece, state)
                cross_entropy(logits, wanted).backward()  # step
        """,
        {},
    ),
    "a state that is given twice": (
        "CA212",
        """
        # file: train.py
        import torch
        from net import Net
        model = Net()
        state = None
        for x in loader:
            if state is None:
                zero = torch.zeros(4, 8)
                state = (zero, zero)  # change
            out, state = model(x, state)
            out.sum().backward()  # step
            state = tuple(part.detach() for part in state)
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, state):
                hidden, cell = self.cell(x, state)  # forward
                return self.head(hidden), (hidden, cell)
        """,
        {},
    ),
    "one tensor as often as there are layers": (
        "CA212",
        """
        # file: net.py
        import torch
        class Stack(torch.nn.Module):
            def begin(self, rows):
                return [torch.zeros(rows, 8)] * len(self.cells)  # change
            def forward(self, x, hidden):
                after = []
                for cell, before in zip(self.cells, hidden):
                    x = cell(x, before)  # forward
                    after.append(x)
                return self.head(x), after
        # file: train.py
        from net import Stack
        model = Stack()
        hidden = model.begin(4)
        for x in loader:
            out, hidden = model(x, hidden)
            out.sum().backward()  # step
            hidden = [part.detach() for part in hidden]
        """,
        {},
    ),
}

STRUCTURES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a branch on a flag of a callback's": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.distil = False
            def forward(self, x):
                out = self.body(x)
                if self.distil:  # change
                    out = out + self.extra(x)  # forward
                return out
        # file: train.py
        from net import Net
        model = Net()
        for step, x in enumerate(loader):
            model.distil = step % 3 == 0  # change
            model(x).sum().backward()  # step
        """,
        {"near": "extra.weight"},
    ),
    "a loss term with a weight that is zero at first": (
        "CA202",
        """
        # file: objective.py
        class Objective:
            def __init__(self, warm):
                self.warm = warm
                self.terms = {"fit": fit, "smooth": smooth}
            def active(self, step):
                names = ["fit"]
                if step >= self.warm:  # change
                    names.append("smooth")  # change
                return names
            def __call__(self, out, step):
                return sum(self.terms[name](out) for name in self.active(step))  # forward
        def fit(out):
            return out.square().mean()
        def smooth(out):
            return out.diff().abs().mean()
        # file: train.py
        from objective import Objective
        objective = Objective(3)
        for step, x in enumerate(loader):
            objective(model(x), step).backward()  # step
        """,
        {},
    ),
    "a loop over what a schedule gives": (
        "CA203",
        """
        # file: solver.py
        import torch
        class Solver(torch.nn.Module):
            def forward(self, x, steps):
                for _ in range(steps):  # change
                    x = x + self.field(x)  # forward
                return x
        # file: train.py
        from schedule import steps_of
        from solver import Solver
        solver = Solver()
        for epoch in range(4):
            for x in loader:
                solver(x, steps_of(epoch)).sum().backward()  # step
        # file: schedule.py
        def steps_of(epoch):
            return 1 + epoch
        """,
        {},
    ),
    "a while that ends when it has converged": (
        "CA203",
        """
        # file: deq.py
        import torch
        class Equilibrium(torch.nn.Module):
            def forward(self, x):
                z, done = torch.zeros_like(x), False
                while not done:  # change
                    following = torch.tanh(self.inner(z) + x)  # forward
                    done = bool((following - z).norm() < 0.1)
                    z = following
                return z
        # file: train.py
        from deq import Equilibrium
        model = Equilibrium()
        for x in loader:
            model(x).mean().backward()  # step
        """,
        {},
    ),
    "a recursion over trees": (
        "CA203",
        """
        # file: tree.py
        import torch
        class TreeNet(torch.nn.Module):
            def forward(self, tree):
                states = [self.leaf(word) for word in tree.words]  # change
                while len(states) > 1:  # change
                    right, left = states.pop(), states.pop()
                    states.append(self.merge(torch.cat([left, right])))  # forward
                return states[0]
        # file: train.py
        from tree import TreeNet
        model = TreeNet()
        for tree in trees:
            model(tree).sum().backward()  # step
        """,
        {},
    ),
    "a layer that a schedule unfreezes": (
        "CA207",
        """
        # file: schedule.py
        class Unfreezer:
            def __init__(self, model, at):
                self.model, self.at = model, at
            def __call__(self, epoch):
                for place, block in enumerate(self.model.blocks):
                    is_open = epoch >= self.at - place
                    for parameter in block.parameters():
                        parameter.requires_grad = is_open  # change
        # file: train.py
        from schedule import Unfreezer
        unfreezer = Unfreezer(model, 3)
        for epoch in range(5):
            unfreezer(epoch)
            for x in loader:
                model(x).sum().backward()  # step
        """,
        {},
    ),
    "the losses of a task": (
        "CA209",
        """
        # file: tasks.py
        import itertools
        class Tasks:
            def __init__(self, names):
                self.names = itertools.cycle(names)
            def loss(self, out, wanted):
                name = next(self.names)
                if name == "sort":  # change
                    return out.square().mean()
                return (out - wanted).abs().sum()  # forward, change
        # file: train.py
        from tasks import Tasks
        tasks = Tasks(["sort", "copy"])
        for x, wanted in loader:
            tasks.loss(model(x), wanted).backward()  # backward
        """,
        {},
    ),
}

MORE_NUMBERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a number that changes beside what torch names": (
        "CA705",
        """
        # file: settings.py
        SHARP = {"teacher": 0.3}
        def begin(epoch):
            SHARP["teacher"] = 0.3 - 0.05 * epoch  # change
            return 2 + epoch
        # file: net.py
        import torch
        from settings import SHARP
        @torch.compile
        def forward(crops):  # compiled
            return sum(crop / SHARP["teacher"] for crop in crops)
        # file: train.py
        from net import forward
        from settings import begin
        for epoch in range(3):
            count = begin(epoch)
            for x in loader:
                forward([x] * count).sum().backward()  # step
        """,
        {"reason": "0/0: len(crops) == 2", "key": "G['SHARP']['teacher']"},
    ),
    "an attribute that a method sets with another": (
        "CA704",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.low, self.high = -1.0, 1.0
            def widen(self, low, high):
                self.low, self.high = low, high  # change
            def forward(self, x):  # compiled
                return self.body(x).clamp(self.low, self.high)
        # file: train.py
        import torch
        from net import Net
        net = Net()
        model = torch.compile(net)
        for epoch in range(4):
            net.widen(-1.0 - epoch, 1.0 + epoch)
            for x in loader:
                model(x).sum().backward()  # step
        """,
        {"reason": "0/0: self.high == 1.0"},
    ),
    "a dictionary in an attribute": (
        "CA704",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weights = {"fit": 1.0, "smooth": 0.0}
            def forward(self, x):  # compiled
                return self.weights["fit"] * x.square().mean() + self.weights["smooth"] * x.sum()
        # file: callbacks.py
        class Ramp:
            def __init__(self, net):
                self.net = net
            def after(self, epoch):
                self.net.weights["smooth"] = 0.1 * epoch  # change
        # file: train.py
        import torch
        from callbacks import Ramp
        from net import Net
        net = Net()
        ramp = Ramp(net)
        model = torch.compile(net)
        for epoch in range(4):
            for x in loader:
                model(x).backward()  # step
            ramp.after(epoch)
        """,
        {"reason": "0/0: self.weights['smooth'] == 0.0"},
    ),
    "a number of every batch's own": (
        "CA702",
        """
        # file: data.py
        import torch
        from torch.utils.data import DataLoader
        def collate(samples):
            x = torch.stack([sample.x for sample in samples])
            scale = x.abs().max().item()  # change
            return {"x": x / scale, "scale": scale}
        def loader_of(samples):
            return DataLoader(samples, batch_size=8, drop_last=True, collate_fn=collate)
        # file: train.py
        import torch
        from data import loader_of
        @torch.compile
        def loss_of(x, scale):  # compiled
            return (x * scale).square().mean()
        def train(loader):
            for batch in loader:
                loss_of(batch["x"], batch["scale"]).backward()  # step
        train(loader_of(samples))  # main
        """,
        {"reason": "0/0: scale == 1.0"},
    ),
    "a bandit that picks an arm": (
        "CA701",
        """
        # file: bandit.py
        import random
        class Bandit:
            def __init__(self, arms):
                self.values = [0.0] * arms
            def pick(self):
                if random.random() < 0.1:
                    return random.randrange(len(self.values))  # change
                return max(range(len(self.values)), key=self.values.__getitem__)  # change
        # file: train.py
        import torch
        from bandit import Bandit
        @torch.compile
        def forward(x, arm):  # compiled
            return x.roll(arm).sum()
        bandit = Bandit(3)
        for x in loader:
            arm = bandit.pick()  # change
            forward(x, arm).backward()  # step, change
        """,
        {"reason": "0/0: arm == 0"},
    ),
    "a default that one call overrides": (
        "CA703",
        """
        # file: train.py
        import torch
        from net import Net
        model = torch.compile(Net())
        def evaluate(x):
            return model(x, True)  # change
        for step, x in enumerate(loader):
            model(x).sum().backward()  # step
            if step % 5 == 0:
                evaluate(x)
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, full=False):  # compiled
                return x.sin() if full else x.cos()
        """,
        {"reason": "0/0: full == False"},
    ),
    "a named tuple of a replay": (
        "CA701",
        """
        # file: replay.py
        from typing import NamedTuple
        import torch
        class Sample(NamedTuple):
            x: torch.Tensor
            horizon: int
        class Replay:
            def __init__(self, rng):
                self.rng, self.rows = rng, []
            def draw(self):
                horizon = self.rng.choice([1, 3, 5])  # change
                return Sample(torch.stack(self.rows), horizon)
        # file: train.py
        import torch
        from agent import returns
        from replay import Replay
        replay = Replay(rng)
        for _ in range(99):
            sample = replay.draw()
            returns(sample.x, sample.horizon).sum().backward()  # step
        # file: agent.py
        import torch
        @torch.compile
        def returns(x, horizon):  # compiled
            return x.unfold(0, horizon, 1).sum(-1)
        """,
        {"reason": "0/0: horizon == 1"},
    ),
    "a closure's number that its maker is given": (
        "CA702",
        """
        # file: losses.py
        import torch
        def made(margin):
            @torch.compile
            def loss(x):  # compiled
                return (x - margin).relu().sum()
            return loss
        # file: train.py
        from losses import made
        for epoch in range(3):
            margin = 0.1 * epoch  # change
            loss = made(margin)
            for x in loader:
                loss(x).backward()  # step
        """,
        {"reason": "0/0: margin == 0.0"},
    ),
}

JOURNEYS = (
    NUMBERS
    | MORE_NUMBERS
    | STRUCTURES
    | OBJECTS
    | KINDS
    | NONES
    | TENSORS
    | CONTAINERS
    | BACKWARDS_OF_PARTS
)

"""Where what changes a backward is decided: batches, modes, branches, hooks, gradients.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import BakedNumber, Subject
from ca_reports.run.model import Change

BACKWARDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "batches of a sampler": (
        "CA101",
        """
        # file: data.py
        from torch.utils.data import BatchSampler, DataLoader, RandomSampler
        def loader_of(data):
            sampler = BatchSampler(RandomSampler(data), batch_size=8, drop_last=False)  # change
            return DataLoader(data, batch_sampler=sampler)
        # file: train.py
        from data import loader_of
        for x, y in loader_of(data):
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a loader of a data module": (
        "CA101",
        """
        # file: data.py
        from lightning.pytorch import LightningDataModule
        from torch.utils.data import DataLoader
        class Digits(LightningDataModule):
            def train_dataloader(self):
                return DataLoader(self.train, batch_size=8, shuffle=True)  # change
            def val_dataloader(self):
                return DataLoader(self.val, batch_size=8)
        # file: train.py
        from data import Digits
        from lightning.pytorch import Trainer
        Trainer(max_epochs=3).fit(model, datamodule=Digits())  # backward
        """,
        {"library": "/venv/lib/python3.11/site-packages/lightning/pytorch/trainer/trainer.py"},
    ),
    "a loader that accelerate prepares": (
        "CA101",
        """
        # file: train.py
        from accelerate import Accelerator
        from torch.utils.data import DataLoader
        def main():
            accelerator = Accelerator()
            loader = DataLoader(data, batch_size=8, shuffle=True)  # change
            model, optimizer, loader = accelerator.prepare(net, made, loader)
            for x, y in loader:
                loss = model(x).sum()
                accelerator.backward(loss)  # backward
        main()
        """,
        {},
    ),
    "a generator of pieces": (
        "CA101",
        """
        # file: train.py
        import torch
        def minibatches(x, size):
            for begin in range(0, len(x), size):
                yield x[begin : begin + size]  # change
        for epoch in range(3):
            for batch in minibatches(data, 8):
                model(batch).sum().backward()  # backward
        """,
        {},
    ),
    "a batch of islice": (
        "CA101",
        """
        # file: train.py
        import itertools
        import torch
        def groups(samples, size):
            samples = iter(samples)
            while batch := list(itertools.islice(samples, size)):  # change
                yield torch.stack(batch)
        for batch in groups(data, 8):
            model(batch).sum().backward()  # backward
        """,
        {},
    ),
    "a length of a schedule": (
        "CA102",
        """
        # file: train.py
        import torch
        def length_at(step):
            return 16 + 8 * (step // 10)
        for step in range(99):
            length = length_at(step)
            x = tokens[:, :length]  # change
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "images of several sizes": (
        "CA102",
        """
        # file: data.py
        import random
        from torch.nn import functional
        def resized(images):
            size = random.choice([24, 32, 40])
            return functional.interpolate(images, size=(size, size))  # change
        # file: train.py
        from data import resized
        for images in loader:
            model(resized(images)).sum().backward()  # backward
        """,
        {},
    ),
    "a hook that a context manager adds": (
        "CA301",
        """
        # file: watch.py
        import contextlib
        @contextlib.contextmanager
        def watched(module, seen):
            handle = module.register_full_backward_hook(lambda m, i, o: seen.append(o))  # change
            try:
                yield
            finally:
                handle.remove()
        # file: train.py
        from watch import watched
        for step, x in enumerate(loader):
            if step % 10 == 0:
                with watched(model, seen):
                    model(x).sum().backward()  # backward
            else:
                model(x).sum().backward()
        """,
        {"forward": "none"},
    ),
    "a mode that a method of the trainer switches": (
        "CA205",
        """
        # file: trainer.py
        class Trainer:
            def evaluate(self):
                self.model.eval()  # change
                for x in self.valid:
                    self.model(x)
            def fit(self):
                self.model.train()
                for epoch in range(3):
                    for x in self.loader:
                        self.model(x).sum().backward()  # backward
                    self.evaluate()
        # file: train.py
        from trainer import Trainer
        Trainer().fit()  # main
        """,
        {"changes": [Change(None, "model", "training", True, False)]},
    ),
    "batch norms that a function freezes, beside an evaluation that is switched back": (
        "CA205",
        """
        # file: train.py
        import torch
        from torch import nn
        def evaluate(model, loader):
            model.eval()
            with torch.inference_mode():
                return [model(x) for x in loader]
        def freeze(module):
            if isinstance(module, nn.BatchNorm2d):
                module.eval()  # change
        def train(model, loader, epoch):
            model.train()
            if epoch > 1:
                model.apply(freeze)
            for x in loader:
                model(x).sum().backward()  # backward
        def main():
            for epoch in range(3):
                train(model, loader, epoch)  # main
                evaluate(model, valid)
        main()
        """,
        {"changes": [Change(None, "stem.1", "training", True, False)]},
    ),
    "a layout that a captured graph is given at times": (
        "CA111",
        """
        # file: train.py
        import torch
        def load(step):
            pictures = torch.rand(4, 3, 8, 8)
            if step % 3 == 2:
                pictures = pictures.to(memory_format=torch.channels_last)  # change
            return pictures
        def main():
            for step in range(7):
                pictures, t = load(step), torch.rand(4)
                loss = model(pictures, t[:, None, None, None]).mean()
                loss.backward()  # backward
        main()  # main
        """,
        {
            "captured": True,
            "subject": Subject("inputs[1]"),
            "reason": "tensor 'inputs[1]' stride mismatch at index 1. expected 64, actual 1",
        },
    ),
    "a layer left out, aligned with an operation elsewhere": (
        "CA202",
        """
        # file: net.py
        import torch
        class Encoder(torch.nn.Module):
            def mask(self, x):
                return torch.where(self.drawn(x), self.empty, x)  # forward
            def forward(self, x):
                x = self.mask(x)
                for layer in self.layers:
                    kept = self.rng.random()
                    if not self.training or kept > self.rate:  # change
                        x = layer(x)
                return x
        # file: train.py
        from net import Encoder
        model = Encoder()
        def train(limit):
            for step, x in enumerate(loader):
                if step > limit:
                    return
                model(x).sum().backward()  # backward
        train(7)  # main
        """,
        {"subject": Subject(modules=("layers.1.fc", "layers.1.norm"))},
    ),
    "a state that is carried on, beside a number that is added": (
        "CA204",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                self.seen = self.seen.lerp(self.centres, 0.1)  # change
                return (x.var(1).add(1e-6) - self.seen).sum()  # forward
        # file: train.py
        from net import Net
        net = Net()
        for x in loader:
            net(x).backward()  # backward
        """,
        {},
    ),
    "a branch in a block of a stack": (
        "CA202",
        """
        # file: net.py
        import torch
        class Block(torch.nn.Module):
            def __init__(self, width, rate):
                super().__init__()
                self.inner, self.rate = torch.nn.Linear(width, width), rate
            def forward(self, x):
                if self.training and torch.rand(()) < self.rate:  # change
                    return x
                return x + self.inner(x)  # forward
        class Stack(torch.nn.Module):
            def __init__(self, depth):
                super().__init__()
                self.blocks = torch.nn.ModuleList(Block(8, 0.1) for _ in range(depth))
            def forward(self, x):
                for block in self.blocks:
                    x = block(x)
                return x
        # file: train.py
        from net import Stack
        model = Stack(3)
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "an argument that is withheld beside a call without a graph": (
        "CA202",
        """
        # file: net.py
        class Denoiser(torch.nn.Module):
            def forward(self, x, guess, label=None):
                given = self.null if label is None else self.label(label)  # forward
                return self.body(x + guess + given)
        # file: train.py
        import random
        import torch
        from net import Denoiser
        model = Denoiser()
        def loss_of(x, label):
            if random.random() < 0.1:  # change
                label = None
            guess = torch.zeros_like(x)
            if random.random() < 0.5:
                with torch.no_grad():
                    guess = model(x, guess, label)
            return (model(x, guess, label) - x).square().mean()
        for x, label in loader:
            loss_of(x, label).backward()  # backward
        """,
        {},
    ),
    "an argument that is withheld by a choice within a line": (
        "CA202",
        """
        # file: train.py
        import random
        class Net(torch.nn.Module):
            def forward(self, x, context=None):
                return self.head(x if context is None else x + self.read(context))  # forward
        model = Net()
        for x, context in loader:
            kept = None if random.random() < 0.2 else context  # change
            model(x, kept).sum().backward()  # backward
        """,
        {},
    ),
    "a mask that is left out, with an evaluation that never is": (
        "CA202",
        """
        # file: train.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, mask=None):
                if mask is not None:
                    x = x * self.gate(mask)  # forward
                return self.head(x)
        model = Net()
        @torch.no_grad()
        def evaluate(step, x, mask):
            if step > 3:
                model(x, mask)
        for step, (x, mask) in enumerate(loader):
            if step % 4 == 0:  # change
                mask = None
            model(x, mask).sum().backward()  # backward
            evaluate(step, x, mask)
        """,
        {},
    ),
    "a block that is also run for a look at its features": (
        "CA202",
        """
        # file: train.py
        import torch
        class Net(torch.nn.Module):
            def block(self, x):
                return x + self.inner(x)  # forward
            def forward(self, x, deep):
                if self.watched:
                    with torch.inference_mode():
                        self.seen = self.block(x)
                if deep:  # change
                    x = self.block(x)
                return self.head(x)
        model = Net()
        for step, x in enumerate(loader):
            model(x, step % 2 == 0).sum().backward()  # backward
        """,
        {},
    ),
    "a loss that is chosen from a table": (
        "CA209",
        """
        # file: train.py
        from torch.nn import functional
        LOSSES = {"l1": functional.l1_loss, "l2": functional.mse_loss}
        for step, (x, y) in enumerate(loader):
            kind = "l1" if step % 2 else "l2"
            loss = LOSSES[kind](model(x), y)  # change
            loss.backward()  # backward
        """,
        {"forward": "none"},
    ),
    "an inner loop of steps": (
        "CA203",
        """
        # file: sampler.py
        def unrolled(net, x, rounds):
            for _ in range(rounds):  # change
                x = x + net(x)  # forward
            return x
        # file: train.py
        import random
        from sampler import unrolled
        for x in loader:
            loss = unrolled(net, x, rounds=random.randint(1, 4)).sum()
            loss.backward()  # backward
        """,
        {},
    ),
    "a loop that runs once more, and looks like a branch": (
        "CA202",
        """
        # file: routing.py
        import torch
        class Routing(torch.nn.Module):
            def forward(self, votes, rounds):
                logits = torch.zeros(votes.shape[:2])
                for _ in range(rounds):  # change
                    outputs = (logits.softmax(1) * votes).sum(1)  # forward
                    logits = logits + votes * outputs
                return outputs
        # file: train.py
        from routing import Routing
        routing = Routing()
        for step, votes in enumerate(loader):
            routing(votes, 1 + (step > 9)).sum().backward()  # backward
        """,
        {},
    ),
    "a while loop that ends by the data": (
        "CA203",
        """
        # file: net.py
        import torch
        class Adaptive(torch.nn.Module):
            def forward(self, x):
                halted = torch.zeros(len(x))
                while halted.mean() < 0.9:  # change
                    x = self.cell(x)  # forward
                    halted = halted + self.halt(x).detach()
                return x
        # file: train.py
        from net import Adaptive
        model = Adaptive()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a state in a dictionary": (
        "CA204",
        """
        # file: train.py
        import torch
        memory = {"hidden": torch.zeros(4, 8)}
        for x in loader:
            hidden = cell(x, memory["hidden"])
            memory["hidden"] = hidden  # change
            hidden.sum().backward(retain_graph=True)  # backward
        """,
        {},
    ),
    "a running mean in the model": (
        "CA204",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(4, 4)
                self.center = 0.0
            def forward(self, x):
                h = self.layer(x)
                self.center = 0.9 * self.center + 0.1 * h.mean(0)  # change
                return h - self.center
        # file: train.py
        from net import Net
        model = Net()
        for x in loader:
            model(x).sum().backward(retain_graph=True)  # backward
        """,
        {},
    ),
    "parameters that are thawed by a callback": (
        "CA207",
        """
        # file: callbacks.py
        class Thaw:
            def __init__(self, backbone, at):
                self.backbone, self.at = backbone, at
            def before_epoch(self, epoch):
                if epoch == self.at:
                    for parameter in self.backbone.parameters():
                        parameter.requires_grad_(True)  # change
        # file: train.py
        from callbacks import Thaw
        callbacks = [Thaw(model.backbone, 2)]
        for parameter in model.backbone.parameters():
            parameter.requires_grad_(False)
        for epoch in range(4):
            for callback in callbacks:
                callback.before_epoch(epoch)
            for x in loader:
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "an exponent of a loss class": (
        "CA206",
        """
        # file: losses.py
        import torch
        class Generalized(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.power = 2.0
            def forward(self, x, y):
                return (x - y).abs().pow(self.power).mean()  # change
        # file: train.py
        from losses import Generalized
        criterion = Generalized()
        for epoch in range(4):
            criterion.power = 2.0 - 0.2 * epoch
            for x, y in loader:
                criterion(model(x), y).backward()  # backward
        """,
        {"detail": BakedNumber("PowBackward0", "exponent", (2.0, 3.0)), "forward": "none"},
    ),
    "a number that a partial holds": (
        "CA206",
        """
        # file: robust.py
        from functools import partial
        from torch.nn import functional
        class Strict:
            def __init__(self, delta):
                self.delta = delta
                self.loss = functional.mse_loss
            def begin(self, epoch):
                self.loss = partial(functional.huber_loss, delta=self.delta(epoch))  # change
            def __call__(self, guess, target):
                return self.loss(guess, target)  # forward
        # file: train.py
        from robust import Strict
        strict = Strict(lambda epoch: 0.5**epoch)
        for epoch in range(4):
            strict.begin(epoch)
            for x, y in loader:
                strict(model(x), y).backward()  # backward
        """,
        {"detail": BakedNumber("HuberLossBackward0", "delta", (2.0, 3.0))},
    ),
    "a loop whose steps have others beside it that build no graph": (
        "CA203",
        """
        # file: net.py
        import torch
        class Filter(torch.nn.Module):
            def forward(self, breath):
                state, heard = self.rest, []
                for moment in breath.unbind(1):  # change
                    state = torch.tanh(self.wind(moment) + self.swell(state))
                    heard.append(state)
                return torch.stack(heard, 1)
            def level(self, heard):
                return heard + self.gain  # forward
        # file: train.py
        import torch
        from net import Filter
        model = Filter()
        for breath in loader:
            model.level(model(breath)).sum().backward()  # backward
            with torch.no_grad():
                for group in optimizer.param_groups:
                    for parameter in group["params"]:
                        parameter.sub_(parameter.grad)
        """,
        {},
    ),
    "a layout of some batches": (
        "CA111",
        """
        # file: data.py
        import torch
        def prepared(images, fast):
            return images.to(memory_format=torch.channels_last) if fast else images  # change
        # file: train.py
        from data import prepared
        for step, images in enumerate(loader):
            model(prepared(images, step % 2 == 0)).sum().backward()  # backward
        """,
        {},
    ),
    "autocast in an ExitStack": (
        "CA112",
        """
        # file: train.py
        import contextlib
        import torch
        for step, x in enumerate(loader):
            with contextlib.ExitStack() as stack:
                if step >= 10:
                    stack.enter_context(torch.autocast("cpu", torch.bfloat16))  # change
                loss = model(x).sum()
            loss.backward()  # backward
        """,
        {"key": "autocast"},
    ),
    "gradients that a helper drops": (
        "CA201",
        """
        # file: tools.py
        def clear(parameters):
            for parameter in parameters:
                parameter.grad = None  # change
        # file: train.py
        from tools import clear
        for step, x in enumerate(loader):
            model(x).sum().backward()  # backward
            if step % 4 == 3:
                optimizer.step()
                clear(model.parameters())
        """,
        {"forward": "none"},
    ),
    "an index of a table of embeddings": (
        "CA104",
        """
        # file: net.py
        import torch
        class Prompts(torch.nn.Module):
            def forward(self, x, domain):
                return x + self.table[domain]  # change
        # file: train.py
        from net import Prompts
        prompts = Prompts()
        for step, x in enumerate(loader):
            prompts(x, step % 3).sum().backward()  # backward
        """,
        {"forward": "none"},
    ),
    "a hook for each step in a method": (
        "CA302",
        """
        # file: trainer.py
        class Trainer:
            def watch(self):
                self.model.weight.register_hook(self.seen.append)  # change
            def step(self, x):
                self.watch()
                self.model(x).sum().backward()  # backward
            def fit(self):
                for x in self.loader:
                    self.step(x)  # step
        # file: train.py
        from trainer import Trainer
        Trainer().fit()  # main
        """,
        {"forward": "none"},
    ),
}

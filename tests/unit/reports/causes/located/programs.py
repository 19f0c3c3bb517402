"""Programs with a cause in them: the line to change is the one with `# change`.

Each was written, and its line marked, before the search that finds it. `# main`, `# step` and
`# backward` mark the calls of the stack, outermost first, `# forward` the line that made the nodes
that changed, `# compiled` the compiled function. What is beside the cause is there to mislead.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import BakedNumber, Subject
from ca_reports.run.model import Change

TRAINER = """
# file: engine.py
def fit(model, loader, optimizer, epochs):
    for epoch in range(epochs):
        model.train()
        for inputs, labels in loader:
            optimizer.zero_grad(set_to_none=False)
            step(model, inputs, labels)  # step
            optimizer.step()
        validate(model)

def step(model, inputs, labels):
    loss = criterion(model(inputs), labels)
    loss.backward()  # backward
    return loss.item()
"""

PROGRAMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "dynamic sizes that a table of options turns off": (
        "CA102",
        """
        # file: serve.py
        import torch

        def build(options):
            return torch.compile(Encoder(), dynamic=options["dynamic"])

        OPTIONS = {"backend": "eager", "dynamic": False}  # change
        encode = build(OPTIONS)
        for length in LENGTHS:
            encode(torch.zeros(2, length))  # main
        """,
        {"subject": Subject("ids", (1,), (6, 9), size_kind="turned_off")},
    ),
    "dynamic sizes that a text turns off, at the call that takes it": (
        "CA102",
        """
        # file: options.py
        import json

        def load(path):
            return json.loads(open(path).read())
        # file: serve.py
        import torch
        from options import load

        options = load("serve.json")
        encode = torch.compile(Encoder(), **options["compile"])  # change
        for length in LENGTHS:
            encode(torch.zeros(2, length))  # main
        """,
        {"subject": Subject("ids", (1,), (6, 9), size_kind="turned_off")},
    ),
    "dynamic sizes that a switch of a plugin turns off by default": (
        "CA102",
        """
        # file: plugin.py
        import os
        from dataclasses import dataclass, field

        def switch(name, default):
            return os.environ.get(name, default).lower() in ("1", "true")

        @dataclass
        class Plugin:
            backend: str = "eager"
            dynamic: bool = field(default_factory=lambda: switch("DYNAMIC", "0"))  # change

            def options(self):
                return {"backend": self.backend, "dynamic": self.dynamic}
        # file: serve.py
        import torch
        from plugin import Plugin

        encode = torch.compile(Encoder(), **Plugin().options())
        for length in LENGTHS:
            encode(torch.zeros(2, length))  # main
        """,
        {"subject": Subject("ids", (1,), (6, 9), size_kind="turned_off")},
    ),
    "dynamic sizes that the command line turns off unless told otherwise": (
        "CA102",
        """
        # file: serve.py
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--any-length", dest="dynamic", default=False)  # change
        args = parser.parse_args()
        encode = torch.compile(Encoder(), dynamic=args.dynamic)
        for length in LENGTHS:
            encode(torch.zeros(2, length))  # main
        """,
        {"subject": Subject("ids", (1,), (6, 9), size_kind="turned_off")},
    ),
    "dynamic sizes that the configuration turns off": (
        "CA102",
        """
        # file: serve.py
        import torch

        torch._dynamo.config.automatic_dynamic_shapes = False  # change
        encode = torch.compile(Encoder())
        for length in LENGTHS:
            encode(torch.zeros(2, length))  # main
        """,
        {"subject": Subject("ids", (1,), (6, 9), size_kind="turned_off")},
    ),
    "the compiler's call, where one compile made a size dynamic": (
        "CA102",
        """
        # file: nodes.py
        import re

        import torch

        WORD = re.compile("a+")
        model = torch.compile(net)  # change
        for seeds in torch.randperm(NODES).split(64):
            nodes, edges = sample(seeds)
            model(features[nodes], edges).sum().backward()  # main
        """,
        {"subject": Subject("x", (0,), (273, 285), size_kind="became_dynamic")},
    ),
    "the loader that a helper of another module makes": (
        "CA101",
        """
        # file: data.py
        from torch.utils.data import DataLoader

        def loaders(train, test, size):
            return (
                DataLoader(train, batch_size=size, shuffle=True),  # change
                DataLoader(test, batch_size=size, drop_last=True),
            )
        # file: train.py
        from data import loaders
        from engine import fit

        def main():
            train_loader, test_loader = loaders(train, test, 8)
            fit(model, train_loader, optimizer, 3)  # main
        main()
        """
        + TRAINER,
        {},
    ),
    "batches cut by hand": (
        "CA101",
        """
        # file: ppo.py
        import torch

        def update(agent, rollout, size):
            order = torch.randperm(len(rollout))
            for start in range(0, len(rollout), size):
                rows = order[start : start + size]  # change
                loss = agent.loss(rollout[rows])
                loss.backward()  # backward

        for iteration in range(10):
            update(agent, collect(agent), 64)  # main
        """,
        {},
    ),
    "batches from a generator that cuts": (
        "CA101",
        """
        # file: train.py
        from batches import batches
        for epoch in range(3):
            for x, y in batches(data, 8):
                loss = model(x, y)
                loss.backward()  # backward
        # file: batches.py
        def batches(data, size):
            for begin in range(0, len(data), size):
                yield data[begin : begin + size]  # change
        """,
        {},
    ),
    "the loader that a trainer of Transformers makes": (
        "CA101",
        """
        # file: finetune.py
        from transformers import Trainer, TrainingArguments
        from torch.utils.data import DataLoader

        arguments = TrainingArguments("out", per_device_train_batch_size=8)  # change
        check = DataLoader(held_out, batch_size=8)
        trainer = Trainer(model, arguments, train_dataset=rows)
        trainer.train()  # main
        """,
        {"library": "/venv/lib/python3.11/site-packages/transformers/trainer.py"},
    ),
    "the loader that a trainer on top of Transformers makes": (
        "CA101",
        """
        # file: embed.py
        from sentence_transformers import SentenceTransformerTrainer
        from sentence_transformers import SentenceTransformerTrainingArguments
        from transformers import BertConfig

        config = BertConfig(hidden_size=32)
        arguments = SentenceTransformerTrainingArguments(output_dir="out")  # change
        trainer = SentenceTransformerTrainer(model(config), arguments, train_dataset=rows)
        trainer.train()  # main
        """,
        {"library": "/venv/lib/python3.11/site-packages/transformers/trainer.py"},
    ),
    "the options of a trainer that are called a configuration": (
        "CA101",
        """
        # file: tune.py
        from peft import LoraConfig
        from trl import RewardConfig, RewardTrainer

        adapter = LoraConfig(r=4)
        trainer = RewardTrainer(
            model=model,
            args=RewardConfig(output_dir="out", per_device_train_batch_size=4),  # change
            train_dataset=rows, peft_config=adapter,
        )
        trainer.train()  # main
        """,
        {"library": "/venv/lib/python3.11/site-packages/transformers/trainer.py"},
    ),
    "a trainer that was given no collator": (
        "CA102",
        """
        # file: tune.py
        from trl import SFTConfig, SFTTrainer

        options = SFTConfig(output_dir="out")
        trainer = SFTTrainer(model=model, args=options, train_dataset=rows)  # change
        trainer.train()  # main
        """,
        {"library": "/venv/lib/python3.11/site-packages/transformers/trainer.py"},
    ),
    "the loaders of a Lightning module": (
        "CA101",
        """
        # file: module.py
        import lightning as L
        from torch.utils.data import DataLoader

        class Module(L.LightningModule):
            def training_step(self, batch, number):
                return self.loss(batch)
            def train_dataloader(self):
                return DataLoader(rows, batch_size=8)  # change
            def val_dataloader(self):
                return DataLoader(held_out, batch_size=8)
        # file: train.py
        from module import Module
        trainer = L.Trainer(max_epochs=3)
        trainer.fit(Module())  # main
        """,
        {"library": "/venv/lib/python3.11/site-packages/lightning/pytorch/trainer/trainer.py"},
    ),
    "a tokenizer that pads to the longest of a batch": (
        "CA102",
        """
        # file: finetune.py
        from transformers import DataCollatorWithPadding, Trainer, TrainingArguments

        def tokenize(row):
            return tokenizer(row["text"], truncation=True)
        collator = DataCollatorWithPadding(tokenizer)  # change
        data = rows.map(tokenize)
        trainer = Trainer(model, TrainingArguments("out"), data, data_collator=collator)
        trainer.train()  # main
        """,
        {"library": "/venv/lib/python3.11/site-packages/transformers/trainer.py"},
    ),
    "a collate function that a trainer was given": (
        "CA102",
        """
        # file: data.py
        import torch

        class Sentences:
            def __init__(self, lengths):
                self.rows = [torch.randint(1, 50, (n,)) for n in lengths]

        def collate(rows):
            longest = max(len(row) for row in rows)  # change
            tokens = torch.zeros(len(rows), longest, dtype=torch.long)
            return {"input_ids": tokens}
        # file: train.py
        from data import Sentences, collate
        from transformers import Trainer, TrainingArguments

        trainer = Trainer(
            model, TrainingArguments("out"), data_collator=collate,
            train_dataset=Sentences(range(8, 24)),
        )
        trainer.train()  # main
        """,
        {"library": "/venv/lib/python3.11/site-packages/transformers/trainer.py"},
    ),
    "a collate function that pads to the longest": (
        "CA102",
        """
        # file: data.py
        from torch.nn.utils.rnn import pad_sequence

        def collate(rows):
            words, tags = zip(*rows)
            return pad_sequence(words, batch_first=True), tags  # change
        # file: train.py
        from torch.utils.data import DataLoader
        from data import collate

        loader = DataLoader(corpus, batch_size=8, collate_fn=collate, drop_last=True)
        for words, tags in loader:
            loss = model(words[:, :512], tags)
            loss.backward()  # backward
        """,
        {},
    ),
    "a longest row of a batch": (
        "CA102",
        """
        # file: train.py
        import torch
        from torch.utils.data import DataLoader

        class Collator:
            def __init__(self, pad):
                self.pad = pad

            def __call__(self, rows):
                longest = max(len(row) for row in rows)  # change
                return torch.stack([self.fill(row, longest) for row in rows])

            def fill(self, row, length):
                return torch.nn.functional.pad(row, (0, length - len(row)))

        collator = Collator(0)
        loader = DataLoader(corpus, batch_size=8, collate_fn=collator)
        for words in loader:
            model(words).backward()  # backward
        """,
        {},
    ),
    "images that a generator makes larger stage by stage": (
        "CA102",
        """
        # file: data.py
        import torch
        SIDES = (16, 20, 24)
        def stages(size):
            for side in SIDES:
                for _ in range(4):
                    yield torch.randn(size, 3, side, side), torch.randint(0, 3, (size,))  # change
        # file: train.py
        from data import stages
        for images, labels in stages(8):
            loss = criterion(model(images), labels)
            loss.backward()  # backward
        """,
        {},
    ),
    "a crop of another size in each step": (
        "CA102",
        """
        # file: train.py
        import random
        from augment import crop

        for images in loader:
            loss = model(crop(images)).mean()
            loss.backward()  # backward
        # file: augment.py
        import random

        def crop(images):
            size = random.choice([24, 28, 32])
            return images[:, :, :size, :size]  # change
        """,
        {},
    ),
    "gradients set to None once a cycle": (
        "CA201",
        """
        # file: train.py
        from steps import accumulate

        optimizer.zero_grad()
        for step, batch in enumerate(batches):
            accumulate(model, batch)  # step
            if step % 4 == 3:
                optimizer.step()
                finish(optimizer)
        def finish(optimizer):
            optimizer.zero_grad()  # change
        # file: steps.py
        def accumulate(model, batch):
            loss = model(batch) / 4
            loss.backward()  # backward
        """,
        {},
    ),
    "gradients set to None by hand": (
        "CA201",
        """
        # file: train.py
        for step, batch in enumerate(batches):
            model(batch).backward()  # backward
            if step % 4 == 3:
                for p in model.parameters():
                    p.grad = None  # change
        """,
        {},
    ),
    "a branch of the forward": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, step):
                if self.scale is not None:
                    x = x * self.scale
                if step % 3 == 0:  # change
                    x = x + self.aux(x)  # forward
                return self.head(x)
        # file: train.py
        from net import Net
        model = Net()
        for step in range(9):
            model(x, step).sum().backward()  # backward
        """,
        {},
    ),
    "a branch above the call of the module": (
        "CA202",
        """
        # file: net.py
        import torch
        class Adapter(torch.nn.Module):
            def forward(self, x):
                return self.up(torch.relu(self.down(x)))  # forward
        class Net(torch.nn.Module):
            def __init__(self):
                self.adapter = Adapter()
            def forward(self, x, task):
                x = self.body(x)
                if task == "b":  # change
                    x = self.adapter(x)
                return x
        # file: train.py
        from net import Net
        model = Net()
        for task in tasks:
            model(x, task).sum().backward()  # backward
        """,
        {},
    ),
    "a layer that is left out by continue": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                for layer in self.layers:
                    if self.training and torch.rand(()) < self.drop:  # change
                        continue
                    x = x + layer(x)  # forward
                return x
        # file: train.py
        from net import Net
        model = Net()
        for step in range(9):
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a branch by the module's name, without lines of the forward": (
        "CA202",
        """
        # file: train.py
        from net import Net
        model = Net()
        optimizer = SGD(model.aux.parameters())
        for step in range(9):
            model(x, step).sum().backward()  # backward
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, step):
                x = self.body(x)
                return self.aux(x) if step % 3 == 0 else x  # change
        """,
        {"near": "aux.0.weight"},
    ),
    "a loss that is added in some steps": (
        "CA202",
        """
        # file: losses.py
        def penalty(model):
            return sum(p.square().sum() for p in model.parameters())  # forward
        # file: train.py
        from losses import penalty
        for step, batch in enumerate(batches):
            loss = model(batch)
            if step % 5 == 0:  # change
                loss = loss + penalty(model)
            loss.backward()  # backward
        """,
        {},
    ),
    "an argument that is left out": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, label=None):
                h = self.body(x)
                if label is not None:
                    h = h + self.label(label)  # forward
                return h
        # file: train.py
        import random
        from net import Net
        model = Net()
        def loss_of(x, label):
            return model(x, label).square().mean()
        for x, label in loader:
            if random.random() < 0.1:  # change
                label = None
            loss_of(x, label).backward()  # backward
        """,
        {},
    ),
    "autocast around some forwards": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, step):
                with torch.autocast("cpu", torch.bfloat16, enabled=step % 2 == 1):  # change
                    return self.lin(x)  # forward
        # file: train.py
        from net import Net
        model = Net()
        for step, x in enumerate(loader):
            model(x, step).sum().backward()  # backward
        """,
        {},
    ),
    "a loop over time": (
        "CA203",
        """
        # file: rnn.py
        import torch
        class Cell(torch.nn.Module):
            def forward(self, x, h):
                return torch.tanh(self.i(x) + self.h(h))  # forward
        class Net(torch.nn.Module):
            def __init__(self):
                self.cell = Cell()
            def forward(self, xs):
                h = xs.new_zeros(4)
                for x in xs.unbind(1):  # change
                    h = self.cell(x, h)
                return h
        # file: train.py
        from rnn import Net
        model = Net()
        for epoch in range(3):
            for xs in loader:
                model(xs).sum().backward()  # backward
        """,
        {},
    ),
    "a loop that ends when it has converged": (
        "CA203",
        """
        # file: train.py
        def solve(f, z):
            while True:  # change
                new = f(z)  # forward
                if (new - z).norm() < 1e-3:
                    return new
                z = new
        for step in range(9):
            solve(model, x).sum().backward()  # backward
        """,
        {},
    ),
    "an attribute that carries a state": (
        "CA204",
        """
        # file: memory.py
        import torch
        class Memory(torch.nn.Module):
            def __init__(self):
                self.state = torch.zeros(4)
            def forward(self, x):
                out = torch.tanh(self.mix(x) + self.state)  # forward
                self.state = out  # change
                return out
        # file: train.py
        from memory import Memory
        model = Memory()
        seen = 0
        for x in batches:
            loss = model(x).sum()
            seen = seen + len(x)
            loss.backward(retain_graph=True)  # backward
        """,
        {"fix": "detach what one step passes to the next, likely `out`"},
    ),
    "a running total": (
        "CA204",
        """
        # file: train.py
        average = 0.0
        for step, x in enumerate(batches):
            loss = model(x)
            average = 0.9 * average + 0.1 * loss  # change
            count = step + 1
            (loss + average).backward(retain_graph=True)  # backward
        """,
        {"fix": "likely `average`"},
    ),
    "a list that is filled": (
        "CA204",
        """
        # file: train.py
        class Trainer:
            def __init__(self):
                self.history = []
            def step(self, x):
                z = self.model(x)
                self.history.append(z)  # change
                loss = torch.stack(self.history[-5:]).var() + z.sum()  # forward
                loss.backward(retain_graph=True)  # backward
        trainer = Trainer()
        for x in batches:
            trainer.step(x)  # step
        """,
        {},
    ),
    "an evaluation that leaves the model in eval mode": (
        "CA205",
        """
        # file: train.py
        from evaluation import evaluate
        model.train()
        for step, x in enumerate(batches):
            model(x).sum().backward()  # backward
            if step % 10 == 9:
                evaluate(model)
        # file: evaluation.py
        import torch
        @torch.no_grad()
        def evaluate(model):
            model.eval()  # change
            return model(held_out)
        """,
        {"changes": (Change(None, "dropout", "training", True, False),)},
    ),
    "an exponent": (
        "CA206",
        """
        # file: losses.py
        def focal(p, gamma):
            return ((1 - p) ** gamma * p.log()).mean()  # change
        # file: train.py
        from losses import focal
        for step, x in enumerate(batches):
            gamma = 1.0 + step / 10
            focal(model(x), gamma).backward()  # backward
        """,
        {"detail": BakedNumber("PowBackward0", "exponent", (2.0, 3.0))},
    ),
    "layers that are thawed": (
        "CA207",
        """
        # file: freeze.py
        def thaw(model, number):
            for layer in model.layers[-number:]:
                for p in layer.parameters():
                    p.requires_grad = True  # change
        # file: train.py
        from freeze import thaw
        for p in model.parameters():
            p.requires_grad_(False)
        for epoch in range(4):
            thaw(model, epoch)
            for x in loader:
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "two parts that are thawed side by side": (
        "CA207",
        """
        # file: lora.py
        def thaw(model, count):
            for number, adapter in enumerate(model.adapters):
                adapter.down.requires_grad = number < count  # change
                adapter.up.requires_grad = number < count
        # file: train.py
        from lora import thaw
        for step, x in enumerate(loader):
            thaw(model, step)
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "an input with a gradient": (
        "CA208",
        """
        # file: train.py
        from attack import penalty
        teacher.requires_grad_(False)
        for step, images in enumerate(loader):
            if step % 2:
                images.requires_grad_()  # change
            model(images).sum().backward()  # backward
        """,
        {"changes": (Change(None, "images", "input requires_grad", False, True),)},
    ),
    "another loss": (
        "CA209",
        """
        # file: train.py
        for step, x in enumerate(loader):
            if step < 100:
                loss = warm_up(model(x))
            else:
                loss = contrastive(model(x))  # change
            loss.backward()  # backward
        # file: losses.py
        """,
        {"forward": "change"},
    ),
    "a class in a function": (
        "CA210",
        """
        # file: quantize.py
        import torch
        def rounded(x):
            class Round(torch.autograd.Function):  # change
                @staticmethod
                def forward(ctx, x):
                    return x.round()
            return Round.apply(x)
        # file: train.py
        from quantize import rounded
        for x in loader:
            rounded(model(x)).sum().backward()  # backward
        """,
        {"key": "rounded.<locals>.Round"},
    ),
    "a hook in some steps": (
        "CA301",
        """
        # file: hooks.py
        def clip(grad):
            return grad.clamp(-1, 1)
        def watch(model):
            return model.head.weight.register_hook(clip)  # change
        # file: train.py
        from hooks import watch
        model.register_forward_hook(log_shapes)
        for step, x in enumerate(loader):
            handle = watch(model) if step % 2 else None
            model(x).sum().backward()  # backward
        """,
        {"key": "tensor hook `clip` on head.weight"},
    ),
    "a channels-last toggle": (
        "CA111",
        """
        # file: train.py
        import torch
        from data import prepare
        for step, x in enumerate(loader):
            model(prepare(x, step)).sum().backward()  # backward
        # file: data.py
        import torch
        def prepare(x, step):
            x = x.to("cpu")
            if step % 2:
                x = x.contiguous(memory_format=torch.channels_last)  # change
            return x
        """,
        {},
    ),
    "autocast in some steps": (
        "CA112",
        """
        # file: train.py
        import torch
        @torch.no_grad()
        def evaluate():
            return model(x)
        for step, x in enumerate(loader):
            with torch.autocast("cpu", enabled=step % 2 == 0):  # change
                model(x).sum().backward()  # backward
            evaluate()
        """,
        {"key": "autocast_state"},
    ),
    "an attribute of a compiled module": (
        "CA401",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                self.temperature = 1.0
            def forward(self, x):  # compiled
                return x / self.temperature
        # file: schedule.py
        def cool(model, step):
            model.temperature = max(0.1, 1.0 - 0.1 * step)  # change
        # file: train.py
        from net import Net
        from schedule import cool
        model = Net()
        for step, x in enumerate(loader):
            cool(model, step)
            loss = model(x)  # step
        """,
        {"reason": "0/0: self.temperature == 1.0"},
    ),
    "an argument of a compiled function": (
        "CA401",
        """
        # file: train.py
        import torch
        @torch.compile
        def smooth(x, alpha):  # compiled
            return x * alpha
        def run(x, step):
            alpha = 0.5 ** step  # change
            return smooth(x, alpha)  # step
        for step, x in enumerate(loader):
            run(x, step)  # main
        """,
        {"reason": "0/0: alpha == 1.0"},
    ),
    "an argument of a function that a decorator compiles": (
        "CA401",
        """
        # file: train.py
        from net import run
        for step, x in enumerate(loader):
            mode = "train" if step % 2 == 0 else "aux"  # change
            run(x, mode).backward()  # step
        # file: net.py
        import torch
        @torch.compile(backend="aot_eager")  # compiled
        def run(x, mode):
            return x.tanh() if mode == "aux" else x
        """,
        {"reason": "0/0: mode == 'train'"},
    ),
    "a counter in the forward of a part": (
        "CA704",
        """
        # file: body.py
        import torch
        class Body(torch.nn.Module):
            def __init__(self):
                self.calls = 0
            def forward(self, x):
                self.calls += 1  # change
                return x * min(1.0, self.calls / 10)
        # file: net.py
        import torch
        from body import Body
        class Net(torch.nn.Module):
            def __init__(self):
                self.body = Body()
            def forward(self, x):  # compiled
                return self.body(x)
        # file: train.py
        from net import Net
        model = torch.compile(Net())
        for x in loader:
            model(x).sum().backward()  # step
        """,
        {"reason": "0/0: self._modules['body'].calls == 0"},
    ),
    "settings that are made anew": (
        "CA701",
        """
        # file: sample.py
        import torch
        @torch.compile
        def sample(x, settings):  # compiled
            for _ in range(settings.steps):
                x = x.tanh()
            return x
        # file: train.py
        from sample import sample
        from settings import Settings
        for step, x in enumerate(loader):
            settings = Settings(steps=2 + step // 3, size=4)  # change
            sample(x, settings).sum().backward()  # step
        # file: settings.py
        from dataclasses import dataclass
        @dataclass
        class Settings:
            steps: int = 2
            size: int = 4
        """,
        {"reason": "0/0: settings.steps == 2"},
    ),
    "a memory that is filled": (
        "CA710",
        """
        # file: train.py
        import torch
        bank = []
        @torch.compile
        def contrast(z, bank):  # compiled
            return torch.stack(bank).mean() + z if bank else z
        for step, x in enumerate(loader):
            z = model(x)
            contrast(z, bank).sum().backward()  # step
            bank.append(z.detach())  # change
        """,
        {"reason": "0/0: len(bank) == 0"},
    ),
    "masks that are kept by length": (
        "CA711",
        """
        # file: decoder.py
        import torch
        class Decoder(torch.nn.Module):
            def __init__(self):
                self.masks = {}
            def mask(self, n):
                if n not in self.masks:
                    self.masks[n] = torch.ones(n, n).tril()  # change
                return self.masks[n]
            def forward(self, x):  # compiled
                return x @ self.mask(x.shape[1])
        # file: train.py
        from decoder import Decoder
        model = torch.compile(Decoder())
        for x in loader:
            model(x).sum().backward()  # step
        """,
        {"reason": "0/0: not ___dict_contains(8, self.masks)"},
    ),
    "a learning rate that a schedule sets": (
        "CA702",
        """
        # file: train.py
        import torch
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # change
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        @torch.compile
        def update():  # compiled
            optimizer.step()
        for x in loader:
            model(x).sum().backward()
            update()  # step
            schedule.step()
        """,
        {"reason": "0/0: G['optimizer'].param_groups[0]['lr'] == 0.1"},
    ),
    "a dictionary of settings": (
        "CA401",
        """
        # file: train.py
        import torch
        CONFIG = {"slope": 0.1}
        @torch.compile
        def act(x):  # compiled
            return torch.nn.functional.leaky_relu(x, CONFIG["slope"])
        for step, x in enumerate(loader):
            CONFIG["slope"] = 0.1 * step  # change
            act(x)  # step
        """,
        {"reason": "0/0: G['CONFIG']['slope'] == 0.1"},
    ),
}

# Programs in which the source alone does not tell which line it is: none may be named as a fact.
UNDECIDED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "two hooks that look alike": (
        "CA301",
        """
        # file: train.py
        for step, x in enumerate(loader):
            if step % 2:
                a.weight.register_hook(one)
            if step % 3:
                b.weight.register_hook(two)
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "two optimizers that are cleared": (
        "CA201",
        """
        # file: train.py
        for step, x in enumerate(loader):
            model(x).sum().backward()  # backward
            if step % 2:
                first.zero_grad()
            if step % 3:
                second.zero_grad()
        """,
        {},
    ),
}

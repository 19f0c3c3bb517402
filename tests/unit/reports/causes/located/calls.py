"""Programs in which it has to be told what a call runs: an object, a method, or a library.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import Subject

_MEMORY = """
        # file: net.py
        import torch
        def default(value, otherwise):
            if value is not None:
                return value
            return otherwise()
        class Memory(torch.nn.Module):
            def forward(self, x, mems=None):  # compiled
                mems = default(mems, lambda: [None] * 2)
                kept = []
                for mem, layer in zip(mems, self.layers):
                    mem = layer(x) if mem is None else torch.cat([mem, layer(x)], 1)
                    kept.append(mem[:, -8:].detach())
                return x, kept
        # file: train.py
        import torch
        from net import Memory
        net = torch.compile(Memory())
        for epoch in range(3):
            mems = None
            for x in loader:
                out, mems = net(x, mems)  # step
                out.sum().backward()
        """


def _memory(decides: str) -> str:
    """The program, with the line marked that has these words."""
    assert _MEMORY.count(decides) == 1
    return _MEMORY.replace(decides, f"{decides}  # change")


CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "keys of sensors that answer seldom, beside a mean of the parameters": (
        "CA710",
        """
        # file: bus.py
        class Camera:
            period = 4
            def read(self, state):
                return state[:4]
        class Bus:
            def __init__(self):
                self.drivers = {"camera": Camera(), "joints": Camera()}
                self.tick = 0
            def poll(self, state):
                reading = {}
                for name, driver in self.drivers.items():
                    if self.tick % driver.period == 0:  # change
                        reading[name] = driver.read(state)
                self.tick += 1
                return reading
        # file: policy.py
        import torch
        class Policy(torch.nn.Module):
            def forward(self, reading, memory=None):  # compiled
                return sum(self.inputs[name](value) for name, value in reading.items())
        # file: train.py
        import numpy as np
        import torch
        from torch.nn.utils import parameters_to_vector
        from bus import Bus
        from policy import Policy
        policy = Policy()
        control = torch.compile(policy)
        mean = parameters_to_vector(policy.parameters())
        for generation in range(3):
            bus, scores = Bus(), []
            for state in walk(mean):
                scores.append(control(bus.poll(state)))  # step
            print(np.mean(scores))
        """,
        {"key": "reading", "reason": "0/0: len(reading) != 2"},
    ),
    "a key that a collator adds where any sample has it": (
        "CA703",
        """
        # file: data.py
        import torch
        class Tokenizer:
            def __call__(self, text, pair=None):
                encoding = {"ids": text}
                if pair is not None:
                    encoding["types"] = pair
                return encoding
        class Collator:
            def __init__(self, tokenizer):
                self.tokenizer = tokenizer
            def _pad(self, rows):
                return torch.tensor(rows)
            def __call__(self, rows):
                encodings = [self.tokenizer(row["text"], row["pair"]) for row in rows]
                batch = {"ids": self._pad([each["ids"] for each in encodings])}
                if any("types" in each for each in encodings):  # change
                    batch["types"] = self._pad([each["types"] for each in encodings])
                return batch
        # file: model.py
        import torch
        from torch import nn
        class Embeddings(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.norm = nn.LayerNorm(config.width)
            def forward(self, ids, types=None):
                hidden = self.words(ids)
                if types is not None:
                    hidden = hidden + self.types(types)
                return self.norm(hidden)
        class Classifier(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.config = config
                self.embeddings = Embeddings(config)
            def forward(self, ids, types=None):  # compiled
                return self.embeddings(ids, types)
        # file: train.py
        import torch
        from torch.utils.data import DataLoader
        from data import Collator, Tokenizer
        from model import Classifier
        collator = Collator(Tokenizer())
        loader = DataLoader(rows, batch_size=8, collate_fn=collator)
        model = torch.compile(Classifier(Config()))
        for batch in loader:
            model(**batch).sum().backward()  # step
        """,
        {"key": "types", "reason": "0/0: types is None", "message": "`types`: None ↔ a tensor"},
    ),
    "a number for a model whose loss is a method": (
        "CA701",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, past, horizon):  # compiled
                return torch.cat([past[:, -1:] for _ in range(horizon)], 1)
        # file: train.py
        import torch
        from net import Net
        class Trainer:
            def __init__(self):
                self.forecast = torch.compile(Net())
            def horizon_at(self, epoch):
                return min(2 + 2 * epoch, 8)  # change
            def loss(self, past, epoch):
                horizon = self.horizon_at(epoch)
                predicted = self.forecast(past, horizon)  # step
                return torch.nn.functional.mse_loss(predicted, past)
            def fit(self, loader):
                for epoch in range(4):
                    for past in loader:
                        loss = self.loss(past, epoch)
                        loss.backward()
        Trainer().fit(loader)  # main
        """,
        {"key": "horizon", "reason": "0/0: horizon == 2"},
    ),
    "a head behind an early return, beside other parameters in the loss": (
        "CA202",
        """
        # file: net.py
        import torch
        class Forecaster(torch.nn.Module):
            def forward(self, x, with_spread=False):
                hidden = self.trunk(x)
                if not with_spread:  # change
                    return self.change(hidden), None
                return self.change(hidden), self.spread(hidden)
        # file: train.py
        from net import Forecaster
        model = Forecaster()
        for step, x in enumerate(loader):
            curve, spread = model(x, with_spread=step % 3 == 0)  # change
            loss = curve.sum() + sum(p.sum() for p in model.change.parameters())
            if spread is not None:
                loss = loss + spread.sum()
            loss.backward()  # backward
        """,
        {"near": "change", "subject": Subject(modules=("spread",))},
    ),
    "layers that a list of modules of its own goes over": (
        "CA202",
        """
        # file: net.py
        import random
        import torch
        class Dropped(torch.nn.ModuleList):
            def __init__(self, layers, rate):
                super().__init__(layers)
                self.rate = rate
            def forward(self, x):
                for layer in self:
                    if self.training and random.random() < self.rate:  # change
                        continue
                    x = layer(x)
                return x
        class Layer(torch.nn.Module):
            def forward(self, x):
                return x + torch.tanh(self.inner(x))  # forward
        class Net(torch.nn.Module):
            def __init__(self, depth):
                super().__init__()
                layers = [Layer() for _ in range(depth)]
                self.stack = Dropped(layers, 0.3)
            def forward(self, x):
                return self.stack(x)
        # file: train.py
        from net import Net
        model = Net(3)
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {"subject": Subject(modules=("stack.0.inner",))},
    ),
    "zeros as long as the longest of a batch": (
        "CA102",
        """
        # file: molecules.py
        import torch
        class Molecules:
            def __init__(self, sizes):
                self.rows = [torch.randint(1, 7, (size,)) for size in sizes]
            def __iter__(self):
                for at in range(0, len(self.rows), 8):
                    yield collate(self.rows[at : at + 8])
        def collate(rows):
            longest = max(len(row) for row in rows)  # change
            atoms = torch.zeros(len(rows), longest, dtype=torch.long)  # change
            for at, row in enumerate(rows):
                atoms[at, : len(row)] = row
            return atoms
        # file: train.py
        from molecules import Molecules
        for atoms in Molecules(sizes):
            model(atoms).sum().backward()  # backward
        """,
        {"key": "atoms", "subject": Subject("atoms", (1,), (13, 14))},
    ),
    "a memory that begins as None, which the function fills by itself": (
        "CA703",
        _memory("mems = None"),
        {"key": "mems", "reason": "0/0: mems is None", "message": "`mems`: None ↔ list"},
    ),
    "the slice that a memory is": (
        "CA111",
        _memory("kept.append(mem[:, -8:].detach())"),
        {
            "key": "layout",
            "subject": Subject("mems[0]"),
            "reason": "0/1: mems[0].stride()[0] == 8*mems[0].size()[1]",
        },
    ),
    "a call of another model's, in a file that no stack is of": (
        "CA102",
        """
        # file: fusion.py
        import torch
        class Fusion(torch.nn.Module):
            def __init__(self, decoder):
                self.decoder = decoder
            def forward(self, tokens, is_text):
                text = torch.masked_select(tokens, is_text)
                return self.decoder(text)
        # file: decoder.py
        import torch
        class Decoder(torch.nn.Module):
            def forward(self, tokens):
                x = self.embedding(tokens)
                return self.block(x)  # step, change
        class Block(torch.nn.Module):
            def forward(self, x):  # compiled
                return torch.tanh(x)
        # file: train.py
        import torch
        import fusion
        from decoder import Decoder
        from streams import Stream
        decoder = Decoder()
        model = fusion.Fusion(decoder) if options.fused else decoder
        for tokens in Stream(options.rows):
            model(tokens).sum().backward()  # main
        """,
        {"reason": "0/0: tensor 'x' size mismatch at index 1. expected 62, actual 58"},
    ),
    "a collate function that a configuration names": (
        "CA102",
        """
        # file: collate.py
        import torch
        from torch.nn.utils.rnn import pad_sequence
        def padded(rows, value):
            ids = [torch.tensor(row) for row in rows]
            return pad_sequence(ids, padding_value=value)  # change
        def cooled(logits, temperature):
            return logits / max(temperature, 1e-5)
        # file: train.py
        import importlib
        from functools import partial
        from torch.utils.data import DataLoader
        import collate
        from model import Model
        def find(path):
            module, name = path.rsplit(".", 1)
            return getattr(importlib.import_module(module), name)
        def main(cfg):
            function = find(cfg.get("collate", "collate.padded"))
            loader = DataLoader(cfg.rows, 8, collate_fn=partial(function, value=0))
            model = Model()
            for tokens in loader:
                model(tokens)  # main
        main(load())
        # file: model.py
        import torch
        class Model(torch.nn.Module):
            def forward(self, tokens):  # compiled
                return self.head(tokens)
        """,
        {"reason": "0/0: tensor 'tokens' size mismatch at index 1. expected 62, actual 58"},
    ),
    "what splits a tensor of which all parts but the first begin elsewhere": (
        "CA111",
        """
        # file: train.py
        import torch
        @torch.compile
        def loss_of(chunk):  # compiled
            return chunk.square().mean()
        def attend(x):
            return x.transpose(1, 2)
        for x in batches():
            hidden = attend(x)
            for chunk in hidden.tensor_split(8, dim=0):  # change
                loss_of(chunk).backward()  # main
        """,
        {"reason": "0/0: 2 <= chunk.storage_offset()  # return chunk.square()  # train.py:4"},
    ),
    "a flag that a wrapper of torch's is given by its name": (
        "CA703",
        """
        # file: agent.py
        import torch
        class Agent:
            def __init__(self):
                self.plan = torch.compile(self._plan)
            def act(self, obs, first=False):
                return self.plan(obs, t0=first)  # compiled
            def update(self, buffer):
                kwargs = {}
                if buffer.task is not None:
                    kwargs["task"] = buffer.task
                return self._update(buffer.sample(), **kwargs)
        # file: train.py
        from agent import Agent
        agent = Agent()
        for step in range(100):
            action = agent.act(obs, first=step % 10 == 0)  # main, change
        """,
        {"reason": "0/0: kwargs['t0'] == True", "key": "kwargs['t0']"},
    ),
    "what a collate function pads to, not what the model makes of it": (
        "CA102",
        """
        # file: data_utils.py
        import torch
        class Collate:
            def __call__(self, batch):
                max_text = max([len(x[0]) for x in batch])  # change
                max_wave = max([x[1].size(0) for x in batch])
                text = torch.LongTensor(len(batch), max_text)
                wave = torch.FloatTensor(len(batch), max_wave)
                for i, row in enumerate(batch):
                    text[i, : len(row[0])] = row[0]
                    wave[i, : row[1].size(0)] = row[1]
                return text, wave
        # file: models.py
        import torch
        from torch.nn import functional as F
        class Encoder(torch.nn.Module):
            def forward(self, x):
                x = F.pad(x, (0, self.width - x.size(1) % self.width))
                return self.emb(x)
        class Model(torch.nn.Module):
            def __init__(self):
                self.encoder = Encoder()
            def forward(self, x, wave):  # compiled
                x = self.encoder(x)
                return self.decoder(x, wave)
        # file: train.py
        import torch
        from torch.utils.data import DataLoader
        from data_utils import Collate
        from models import Model
        loader = DataLoader(clips, 4, collate_fn=Collate())
        model = torch.compile(Model())
        for step, (x, wave) in enumerate(loader):
            model(x, wave).backward()  # main
        """,
        {"reason": "0/0: tensor 'x' size mismatch at index 1. expected 22, actual 16"},
    ),
    "the call of the stack, where another one of the same file takes samples": (
        "CA101",
        """
        # file: diffusion.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.out(x)
        class Diffusion:
            def __init__(self, net):
                self.net = net
            def sample(self, batch_size):
                image = torch.randn((batch_size, 3, 8, 8))
                for step in range(50):
                    image = self.net(image)
                return image
            def loss(self, image):
                noisy = image + torch.randn_like(image)
                return self.net(noisy).square().mean()  # step
        # file: train.py
        import torch
        from torch.utils.data import DataLoader
        from diffusion import Diffusion, Net
        diffusion = Diffusion(torch.compile(Net()))
        loader = DataLoader(rows, batch_size=16, shuffle=True)  # change
        for step, image in enumerate(loader):
            diffusion.loss(image).backward()  # main
            if step % 10 == 0:
                for batch_size in groups(25, 16):
                    diffusion.sample(batch_size)
        """,
        {"reason": "0/0: tensor 'x' size mismatch at index 0. expected 16, actual 4"},
    ),
    "what is compiled one by one, of classes that share a method": (
        "CA707",
        """
        # file: steps.py
        class Step(torch.nn.Module):
            def forward(self, x):
                return x + self.apply_to(x)  # compiled
        # file: train.py
        import torch
        from steps import Flip, Invert
        steps = torch.nn.ModuleList([Flip(), Invert()])
        for step in steps:
            step.compile()  # change
        for x in loader:
            for step in steps:
                x = step(x)  # step
        """,
        {"reason": "0/0: ___check_type_id(self, 1), type=<class 'steps.Flip'>"},
    ),
}

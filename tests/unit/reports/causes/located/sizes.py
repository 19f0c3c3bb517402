"""Which line decides a size of a tensor, two calls and more from where it shows.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import Subject


def _varied(name: str, dimension: int) -> dict[str, Any]:
    reason = f"0/0: tensor '{name}' size mismatch at index {dimension}. expected 16, actual 10"
    return {"reason": reason}


_MODEL = """
        # file: model.py
        import torch
        class Model(torch.nn.Module):
            def forward(self, x, mask=None):  # compiled
                return self.head(x[:, :4]).mean()
"""

SIZES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a length that nobody knows, beside what the model's own modules make": (
        "CA102",
        """
        # file: network.py
        import torch
        import torch.nn.functional as F
        class Positions(torch.nn.Module):
            def forward(self, steps, width):
                angles = steps * torch.arange(width)
                angles = torch.cat((angles.sin(), angles.cos()), dim=-1)
                return F.pad(angles, (0, width))
        class Network(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.positions = Positions()
            def forward(self, sound, steps):  # compiled
                return sound + self.positions(steps, sound.shape[1])
        # file: train.py
        import torch
        from network import Network
        network = torch.compile(Network())
        for sound, steps in microphone:
            network(sound, steps).mean().backward()  # step, change
        """,
        _varied("sound", 1),
    ),
    "groups of samples that are drawn, beside a loader for training": (
        "CA101",
        """
        # file: diffusion.py
        import torch
        class Diffusion(torch.nn.Module):
            def __init__(self, model):
                super().__init__()
                self.model = model
            def sample(self, noise):
                return self.model(noise)  # step, change
        # file: network.py
        import torch
        class Network(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.head(x)
        # file: train.py
        import torch
        from torch.utils.data import DataLoader
        from diffusion import Diffusion
        from network import Network
        diffusion = Diffusion(torch.compile(Network()))
        batches = DataLoader(pictures, 16, shuffle=True)
        for batch in batches:
            diffusion.loss(batch).backward()
            for noise in groups_of(25):
                diffusion.sample(noise)  # main
        """,
        _varied("x", 0) | {"gradients": False},
    ),
    "rows that one number makes twice": (
        "CA101",
        """
        # file: starter.py
        import torch
        def bakery(jars, rng):
            rows = [torch.rand(12) * rng.random() for _ in range(jars)]
            return torch.stack(rows) + 0.02 * torch.randn(jars, 12)
        def weeks(count, rng, sizes=(16, 16, 10)):
            for week in range(count):
                for jars in sizes:
                    yield week, bakery(jars, rng)  # change
        # file: train.py
        import random
        import torch
        from model import Model
        from starter import weeks
        def main():
            model = torch.compile(Model())
            for week, rise in weeks(4, random.Random(0)):
                left, right = rise.chunk(2, -1)
                model(rise)  # step
        main()  # main
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "chunks of a reader behind a chain of iterators": (
        "CA101",
        """
        # file: tables.py
        import pandas as pd
        import torch
        class Table:
            def __init__(self, file, rows):
                self.chunks = pd.read_csv(file, chunksize=rows)  # change
            def __iter__(self):
                for chunk in self.chunks:
                    yield torch.tensor(chunk[["a", "b"]].to_numpy()).float(), chunk["y"]
        class Simulated:
            def __init__(self, batches, rows):
                self.batches, self.rows = batches, rows
            def __iter__(self):
                for _ in range(self.batches):
                    x = torch.randn(self.rows, 2)
                    yield x, x[:, 0]
        # file: train.py
        import torch
        from itertools import chain
        from model import Model
        from tables import Simulated, Table
        def main(rows=16):
            model = torch.compile(Model())
            for x, y in chain(Simulated(5, rows), Table("a.csv", rows)):
                loss = model(x)  # step
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "the last of a parquet file's batches": (
        "CA101",
        """
        # file: events.py
        import pyarrow.parquet as pq
        import torch
        def tensors(path, rows):
            opened = pq.ParquetFile(path)
            for batch in opened.iter_batches(batch_size=rows):  # change
                yield {"x": torch.tensor(batch.to_pandas().to_numpy()), "rows": len(batch)}
        # file: train.py
        import torch
        from events import tensors
        from model import Model
        model = torch.compile(Model())
        for epoch in range(3):
            for batch in tensors("a.parquet", 16):
                model(batch["x"])  # step
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "a crop in a data set, two results and a field away": (
        "CA102",
        """
        # file: clips.py
        import random
        from typing import NamedTuple
        import torch
        class Clip(NamedTuple):
            wave: torch.Tensor
            speaker: int
        def cut(wave, least, most):
            length = random.randint(least, most)
            return wave[:, :length], length  # change
        def clips(waves):
            for speaker, wave in enumerate(waves):
                piece, _ = cut(wave, 8, 16)
                yield Clip(piece, speaker)
        # file: train.py
        import torch
        from clips import clips
        from model import Model
        model = torch.compile(Model())
        waves = [torch.randn(2, 16) for _ in range(20)]
        for clip in clips(waves):
            padded = torch.zeros(2, 16)
            model(clip.wave)  # step
        """
        + _MODEL,
        _varied("x", 1),
    ),
    "frames of an environment, stacked by the agent": (
        "CA102",
        """
        # file: environment.py
        from collections import deque
        import torch
        class Stack:
            def __init__(self, environment):
                self.environment = environment
                self.frames = deque(maxlen=4)
            def reset(self):
                self.frames.clear()
                self.frames.append(self.environment.reset())  # change
                return torch.stack(list(self.frames), dim=1), 0.0
            def step(self, action):
                self.frames.append(self.environment.step(action))  # change
                return torch.stack(list(self.frames), dim=1), 1.0
        # file: train.py
        import torch
        from environment import Stack
        from games import Game
        from model import Model
        model = torch.compile(Model())
        stack = Stack(Game())
        for episode in range(3):
            seen, reward = stack.reset()
            for _ in range(5):
                model(seen)  # step
                seen, reward = stack.step(1)
        """
        + _MODEL,
        _varied("x", 1),
    ),
    "rows that a helper picks by a mask": (
        "CA102",
        """
        # file: picking.py
        import torch
        def confident(scores, values, least=0.5):
            keep = scores.max(dim=1).values > least
            return values[keep], keep  # change
        # file: train.py
        import torch
        from picking import confident
        from model import Model
        student = torch.compile(Model())
        values = torch.randn(16, 8)
        for step in range(9):
            scores = teacher(values[:16])
            chosen, keep = confident(scores, values)
            student(chosen)  # step
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "a neighbourhood of sampled nodes": (
        "CA102",
        """
        # file: graphs.py
        import torch
        class Sampler:
            def __init__(self, edges, features):
                self.edges, self.features = edges, features
            def around(self, seeds):
                linked = torch.isin(self.edges[0], seeds)
                nodes = torch.unique(self.edges[1, linked])  # change
                return nodes
            def batch(self, seeds):
                nodes = self.around(seeds)
                return self.features[nodes], nodes
        # file: train.py
        import torch
        from graphs import Sampler
        from model import Model
        model = torch.compile(Model())
        sampler = Sampler(edges, torch.randn(100, 8))
        for seeds in torch.randperm(96).split(16):
            x, nodes = sampler.batch(seeds)
            model(x)  # step
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "a mask that is made as long as a padded batch": (
        "CA102",
        """
        # file: text.py
        import torch
        from torch.nn.utils.rnn import pad_sequence
        def joined(rows):
            return pad_sequence(rows, batch_first=True)  # change
        def mask_of(tokens):
            size = tokens.size(1)
            return torch.ones(size, size).tril()
        def prepared(rows):
            tokens = joined(rows)
            return tokens, mask_of(tokens)
        # file: train.py
        import torch
        from model import Model
        from text import prepared
        model = torch.compile(Model())
        noise = torch.randn(8, width)
        for rows in corpus:
            tokens, mask = prepared(rows)
            model(tokens, mask)  # step
        """
        + _MODEL,
        _varied("mask", 0),
    ),
    "a resolution that changes by epoch, in a transform given by partial": (
        "CA102",
        """
        # file: images.py
        import torch
        import torch.nn.functional as F
        def resized(images, size):
            return F.interpolate(images, size=(size, size))  # change
        def flipped(images):
            return images.flip(-1)
        class Pipeline:
            def __init__(self, *steps):
                self.steps = steps
            def __call__(self, images):
                for step in self.steps:
                    images = step(images)
                return images
        # file: train.py
        from functools import partial
        import torch
        from images import Pipeline, flipped, resized
        from model import Model
        model = torch.compile(Model())
        for size in (32, 48, 64):
            pipeline = Pipeline(partial(resized, size=size), flipped)
            for images in data:
                model(pipeline(images))  # step
        """
        + _MODEL,
        _varied("x", 2),
    ),
    "a loader handed through accelerate and a prefetching generator": (
        "CA101",
        """
        # file: data.py
        import torch
        from torch.utils.data import DataLoader, TensorDataset
        def prefetched(loader):
            waiting = None
            for batch in loader:
                if waiting is not None:
                    yield waiting
                waiting = batch
            yield waiting
        def training(size):
            data = TensorDataset(torch.randn(58, 8), torch.randn(58))
            return DataLoader(data, batch_size=size)  # change
        def validation(size):
            data = TensorDataset(torch.randn(32, 8), torch.randn(32))
            return DataLoader(data, batch_size=size)
        # file: train.py
        import torch
        from accelerate import Accelerator
        from data import prefetched, training, validation
        from model import Model
        accelerator = Accelerator()
        model, optimizer, loader, held_out = accelerator.prepare(
            Model(), optimizer, training(16), validation(16)
        )
        compiled = torch.compile(model)
        for x, y in prefetched(loader):
            compiled(x)  # step
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "minibatches of a shuffled rollout": (
        "CA101",
        """
        # file: rollout.py
        import torch
        class Rollout:
            def __init__(self):
                self.states = torch.randn(58, 8)
            def minibatches(self, size):
                order = torch.randperm(len(self.states))
                for rows in order.split(size):  # change
                    yield self.states[rows]
        # file: train.py
        import torch
        from model import Model
        from rollout import Rollout
        model = torch.compile(Model())
        for update in range(4):
            rollout = Rollout()
            for states in rollout.minibatches(16):
                model(states)  # step
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "a context that opens a source of batches": (
        "CA101",
        """
        # file: sources.py
        from contextlib import contextmanager
        import torch
        @contextmanager
        def opened(path, size):
            rows = torch.load(path)
            yield (rows[at : at + size] for at in range(0, len(rows), size))  # change
        # file: train.py
        import torch
        from model import Model
        from sources import opened
        model = torch.compile(Model())
        with opened("a.pt", 16) as batches:
            for x in batches:
                model(x)  # step
        """
        + _MODEL,
        _varied("x", 0),
    ),
    "a history that a property joins": (
        "CA102",
        """
        # file: memory.py
        import torch
        class Memory:
            def __init__(self):
                self.past = []
            def remember(self, state):
                self.past.append(state.detach())  # change
            @property
            def joined(self):
                return torch.stack(self.past, dim=1)
        class Agent:
            def __init__(self, memory):
                self.memory = memory
            def context(self):
                return self.memory.joined, len(self.memory.past)
        # file: train.py
        import torch
        from memory import Agent, Memory
        from model import Model
        model = torch.compile(Model())
        memory = Memory()
        agent = Agent(memory)
        for state in states:
            memory.remember(state)
            context, seen = agent.context()
            model(context)  # step
        """
        + _MODEL,
        _varied("x", 1),
    ),
    "windows of a series, whose last is short": (
        "CA102",
        """
        # file: series.py
        import torch
        def windows(series, width):
            begin = 0
            while begin < series.size(1):
                yield series[:, begin : begin + width]  # change
                begin += width
        # file: train.py
        import torch
        from model import Model
        from series import windows
        def shifted(pair):
            return pair[0] - pair[0].mean(), pair[1]
        model = torch.compile(Model())
        series = torch.randn(4, 58)
        for number, window in enumerate(windows(series, 16)):
            x, place = shifted((window, number))
            model(x)  # step
        """
        + _MODEL,
        _varied("x", 1),
    ),
    "a curriculum of lengths behind a registry": (
        "CA102",
        """
        # file: tasks.py
        import torch
        TASKS = {}
        def task(function):
            TASKS[function.__name__] = function
            return function
        def noise(shape):
            return torch.randn(shape)
        @task
        def copying(length):
            return noise((8, length, 4))  # change
        # file: train.py
        import torch
        from model import Model
        from tasks import TASKS
        model = torch.compile(Model())
        for step in range(40):
            length = 4 + step // 10
            model(TASKS["copying"](length))  # step
        """
        + _MODEL,
        _varied("x", 1),
    ),
    "a cache of past keys, by layer and by kind": (
        "CA102",
        """
        # file: caching.py
        import torch
        class Layers:
            def __init__(self, layers):
                self.layers = layers
            def __call__(self, token, cache):
                after = []
                for layer, (keys, values) in zip(self.layers, cache):
                    keys = torch.cat([keys, layer.key(token)], dim=1)  # change
                    values = torch.cat([values, layer.value(token)], dim=1)
                    after.append((keys, values))
                return after
        # file: train.py
        import torch
        from caching import Layers
        from model import Model
        model = torch.compile(Model())
        layers = Layers(blocks)
        cache = [(torch.zeros(2, 1, 8), torch.zeros(2, 1, 8)) for _ in blocks]
        for token in tokens:
            cache = layers(token, cache)
            model(cache[0][0])  # step
        """
        + _MODEL,
        _varied("x", 1),
    ),
    "groups of a plan, whose objects know how many rows they have": (
        "CA101",
        """
        # file: aisles.py
        from dataclasses import dataclass
        import torch
        @dataclass(frozen=True)
        class Aisle:
            name: str
            shelves: int
            def sample(self, features):
                x = torch.randn(self.shelves, features)  # change
                return x, x.square().sum(-1)
        PLAN = [Aisle(*one) for one in zip("ABC", (7, 5, 6))]
        # file: train.py
        from itertools import chain, repeat
        from aisles import PLAN
        for aisle in chain.from_iterable(repeat(PLAN, 3)):
            shelves, minutes = aisle.sample(4)
            (model(shelves) - minutes).abs().mean().backward()  # backward
        """,
        {"subject": Subject("shelves", (0,), (7, 5))},
    ),
    "what a collate function joins for a field": (
        "CA102",
        """
        # file: graphs.py
        from typing import NamedTuple
        import torch
        class Batch(NamedTuple):
            atoms: torch.Tensor
            bonds: torch.Tensor
            @classmethod
            def of(cls, molecules):
                firsts = [0]
                for atoms, _ in molecules:
                    firsts.append(firsts[-1] + len(atoms))
                return cls(
                    atoms=torch.cat([atoms for atoms, _ in molecules]),
                    bonds=torch.cat([b + n for (_, b), n in zip(molecules, firsts)], 1),  # change
                )
        # file: train.py
        from graphs import Batch
        from torch.utils.data import DataLoader
        LOADERS = {}
        def register(name):
            def decorate(function):
                LOADERS[name] = function
                return function
            return decorate
        @register("molecules")
        def molecules(batch_size=4, **options):
            return DataLoader(rows, batch_size=batch_size, collate_fn=Batch.of, **options)
        for batch in LOADERS[config["name"]](**config["args"]):
            model(batch).mean().backward()  # backward
        """,
        {"subject": Subject("batch.bonds", (1,), (38, 42))},
    ),
    "edges that a random mask drops": (
        "CA102",
        """
        # file: augment.py
        import torch
        def drop_edges(edges, p):
            out = {}
            for name, index in edges.items():
                keep = torch.rand(index.size(1)) >= p
                out[name] = index[:, keep]  # change
            return out
        def drop_features(x, p):
            keep = torch.rand(x.size(1)) >= p
            return x * keep
        # file: train.py
        import torch
        from augment import drop_edges, drop_features
        def train(edges):
            out = model(drop_features(data.x, 0.1), drop_edges(edges, 0.2))
            loss = criterion(out, data.y)
            loss.backward()  # backward
        @torch.no_grad()
        def test():
            right = model(data.x, data.edges).argmax(1) == data.y
            return data.y[right].sum(), right[~(data.y > 0)]
        for edges in stream(data, 10):
            train(edges)
            test()
        """,
        {"key": "a size in `index_add`"},
    ),
    "rows that a mask of the step picks": (
        "CA102",
        """
        # file: train.py
        for x, y in stream:
            known = (y >= 0) & ~broken
            loss = criterion(model(x[known]), y)  # change
            loss.backward()  # backward
        """,
        {"key": "a size in `mm`"},
    ),
    "what a collate function joins for a key": (
        "CA102",
        """
        # file: data.py
        import torch
        from torch.utils.data import DataLoader
        def joined(rows):
            return {
                "frames": torch.cat([frames for frames, _ in rows]),  # change
                "speaker": torch.stack([speaker for _, speaker in rows]),
            }
        # file: train.py
        from torch.utils.data import DataLoader
        from data import joined
        for batch in DataLoader(rows, batch_size=4, collate_fn=joined, drop_last=True):
            model(batch["frames"]).mean().backward()  # backward
        """,
        {"subject": Subject("batch['frames']", (0,), (38, 42))},
    ),
}

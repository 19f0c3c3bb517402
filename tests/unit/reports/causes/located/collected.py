"""Batches that a loop collects, and the data of a backward whose size varied.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import Subject

_SHORT = {"reason": "tensor 'x' size mismatch at index 0. expected 12, actual 8"}
_COMPILED = """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.read(x)
"""

COLLECTED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a sampler that yields what is left over": (
        "CA101",
        _COMPILED
        + """
        # file: data.py
        class Windows:
            def __iter__(self):
                waiting = []
                for place in self.order():
                    waiting.append(self.pairs[place])
                    if len(waiting) == self.size:
                        full, waiting = waiting, []
                        yield full
                if waiting:
                    yield waiting  # change
        # file: train.py
        import torch
        from data import Windows
        from net import Net
        def gathered(power, pairs):
            return torch.stack([power[site, start : start + 16] for site, start in pairs])
        model = torch.compile(Net())
        for pairs in Windows():
            model(gathered(power, pairs)).sum().backward()  # step
        """,
        _SHORT,
    ),
    "a generator that empties its list": (
        "CA101",
        _COMPILED
        + """
        # file: data.py
        import torch
        def batches(rows, size):
            batch = []
            for row in rows:
                batch.append(torch.tensor(row))
                if len(batch) < size:
                    continue
                yield torch.stack(batch)
                batch.clear()
            if batch:
                yield torch.stack(batch)  # change
        # file: train.py
        import torch
        from data import batches
        from net import Net
        model = torch.compile(Net())
        for epoch in range(3):
            for x in batches(rows, 12):
                model(x).sum().backward()  # step
        """,
        _SHORT,
    ),
    "a list of batches": (
        "CA101",
        _COMPILED
        + """
        # file: data.py
        def grouped(samples, size):
            groups, current = [], []
            for sample in samples:
                current.append(sample)
                if len(current) == size:
                    groups.append(current)
                    current = []
            groups.append(current)  # change
            return groups
        # file: train.py
        import torch
        from data import grouped
        from net import Net
        model = torch.compile(Net())
        for group in grouped(samples, 12):
            model(torch.stack(group)).sum().backward()  # step
        """,
        _SHORT,
    ),
    "a buffer that chunks go through": (
        "CA101",
        _COMPILED
        + """
        # file: data.py
        import torch
        class Packed:
            def __iter__(self):
                pending = []
                for chunk in self.chunks():
                    pending.extend(chunk)
                    while len(pending) >= 12:
                        yield torch.stack(pending[:12])
                        pending = pending[12:]
                if len(pending):
                    yield torch.stack(pending)  # change
        # file: train.py
        import torch
        from data import Packed
        from net import Net
        class Trainer:
            def fit(self):
                for x in self.data:
                    self.step(x)  # main
            def step(self, x):
                self.model(x).sum().backward()  # step
        trainer = Trainer()
        trainer.model = torch.compile(Net())
        trainer.data = Packed()
        """,
        _SHORT,
    ),
    "a batch that is given at the end as well": (
        "CA101",
        _COMPILED
        + """
        # file: data.py
        import torch
        def batches(rows, size):
            batch = []
            for number, row in enumerate(rows):
                batch.append(row)
                if len(batch) == size or number == len(rows) - 1:  # change
                    yield torch.stack(batch)
                    batch = []
        # file: train.py
        import torch
        from data import batches
        from net import Net
        model = torch.compile(Net())
        for x in batches(rows, 12):
            model(x).sum().backward()  # step
        """,
        _SHORT,
    ),
    "a loader beside that of an evaluation": (
        "CA101",
        """
        # file: data.py
        from torch.utils.data import DataLoader
        def loaders(clicks, held):
            learned = DataLoader(clicks, 16)  # change
            tested = DataLoader(held, 16)
            return learned, tested
        # file: train.py
        from data import loaders
        learned, tested = loaders(clicks, held)
        for epoch in range(3):
            for user, item, clicked in learned:
                loss(model(user, item), clicked).backward()  # backward
            for user, item, clicked in tested:
                score(model(user, item), clicked)
        """,
        {"subject": Subject("user", (0,), (16, 10))},
    ),
    "a sampler of batches that a variable holds": (
        "CA101",
        """
        # file: train.py
        from torch.utils.data import BatchSampler, DataLoader, RandomSampler
        class Trainer:
            def __init__(self, data, model):
                picks = BatchSampler(RandomSampler(data), 16, drop_last=False)  # change
                self.loader = DataLoader(data, batch_sampler=picks)
                self.model = model
            def run(self):
                for batch in self.loader:
                    self.model(batch["x"]).sum().backward()  # backward
        Trainer(data, model).run()
        """,
        {"subject": Subject("batch['x']", (0,), (16, 4))},
    ),
    "a replay memory that fills": (
        "CA102",
        """
        # file: buffer.py
        import random
        from collections import deque, namedtuple
        import numpy as np
        import torch
        Transition = namedtuple("Transition", "state action reward")
        class Replay:
            def __init__(self, capacity):
                self.memory = deque(maxlen=capacity)
            def push(self, *parts):
                self.memory.append(Transition(*parts))
            def sample(self, count):
                picked = random.sample(self.memory, min(count, len(self.memory)))  # change
                columns = Transition(*zip(*picked))
                return Transition(*(torch.from_numpy(np.array(c)) for c in columns))
        # file: env.py
        import numpy as np
        class Reacher:
            def reset(self):
                self.at = np.zeros(2, np.float32)
                return np.concatenate([self.goal, self.at])
        # file: train.py
        from buffer import Replay
        from env import Reacher
        env, replay = Reacher(), Replay(1000)
        state = env.reset()
        for step in range(60):
            replay.push(state, *agent.act(state))
            state = env.reset()
            sampled = replay.sample(32)
            agent.loss(sampled).backward()  # backward
        """,
        {"subject": Subject("sampled.state", (0,), (20, 21, 22))},
    ),
    "a number that edges and nodes are made by": (
        "CA102",
        """
        # file: graphs.py
        import random
        from typing import NamedTuple
        import torch
        class Batch(NamedTuple):
            atoms: torch.Tensor
            bonds: torch.Tensor
        def molecule(rng):
            count = rng.randint(4, 9)  # change
            chain = torch.tensor([(i, i + 1) for i in range(count - 1)]).t()
            return torch.randint(0, 6, (count,)), torch.cat([chain, chain.flip(0)], 1)
        def batches(count, size):
            rng = random.Random(1)
            for _ in range(count):
                atoms, bonds = [], []
                for _ in range(size):
                    kinds, pairs = molecule(rng)
                    atoms.append(kinds)
                    bonds.append(pairs)
                yield Batch(torch.cat(atoms), torch.cat(bonds, 1))
        # file: train.py
        from graphs import batches
        for batch in batches(6, 4):
            model(batch.atoms, batch.bonds).sum().backward()  # backward
        """,
        {"subject": Subject("batch.bonds", (1,), (46, 40, 58))},
    ),
    "a key that some samples have and a collator keeps where all do": (
        "CA703",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, ids, kinds=None, mask=None):  # compiled
                kinds = torch.zeros_like(ids) if kinds is None else kinds
                return self.read(ids + kinds) * mask
        # file: quotes.py
        import torch
        class Quotes:
            def __init__(self, count):
                self.samples = []
                for index in range(count):
                    sample = {"ids": torch.arange(9)}
                    if index // 8 % 3 == 1:  # change
                        sample["kinds"] = torch.ones(9)
                    self.samples.append(sample)
        def collated(samples):
            names = [name for name in samples[0] if all(name in one for one in samples)]
            batch = {name: torch.stack([one[name] for one in samples]) for name in names}
            batch["mask"] = (batch["ids"] != 0).long()
            return batch
        # file: train.py
        import torch
        from net import Net
        from quotes import Quotes, collated
        from torch.utils.data import DataLoader
        net = torch.compile(Net())
        for batch in DataLoader(Quotes(99).samples, 8, collate_fn=collated):
            net(**batch).sum().backward()  # step
        """,
        {"reason": "0/0: kinds is None"},
    ),
}

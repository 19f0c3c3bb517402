"""The same causes in other forms: dispatch instead of `if`, contexts in variables, helpers.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import BakedNumber, DictKeys, KeptByHook, SharedSetting, Subject

FORMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a guard of a helper in another file": (
        "CA712",
        """
        # file: net.py
        import torch
        from windows import windows
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return windows(x, 8).mean(1)
        # file: windows.py
        import torch
        def windows(x, size):
            missing = -x.shape[1] % size
            if missing:  # change
                x = torch.nn.functional.pad(x, (0, missing))
            return x.reshape(len(x), -1, size)
        # file: train.py
        from net import Net
        model = torch.compile(Net(), dynamic=True)
        for x in loader:
            model(x).sum().backward()  # step
        """,
        {
            "reason": (
                "0/0: (((-1)*x.size()[1]) % 8) != 0  # if missing:  # windows.py:4 in windows "
                "(_dynamo/symbolic_convert.py:962 in inner)"
            )
        },
    ),
    "a part of a container that grows": (
        "CA710",
        """
        # file: past.py
        class Past:
            def __init__(self, layers):
                self.keys = [[] for _ in range(layers)]
            def add(self, layer, key):
                self.keys[layer].append(key)  # change
                return sum(self.keys[layer])
        # file: train.py
        import torch
        from past import Past
        class Net(torch.nn.Module):
            def forward(self, x, past):  # compiled
                return past.add(0, x)
        model = torch.compile(Net())
        for prompt in loader:
            past = Past(2)
            for word in prompt:
                model(word, past)  # step
        """,
        {"reason": "0/0: len(past.keys[0]) == 1"},
    ),
    "a keyword argument from a dictionary": (
        "CA701",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, board, **context):  # compiled
                return board * context["turn"]
        # file: train.py
        import torch
        from net import Net
        model = torch.compile(Net())
        options = {"turn": 0}
        for turn in range(9):
            context = {"turn": turn, "late": turn > 5}  # change
            model(torch.ones(3), **context)  # step
        """,
        {"reason": "0/0: context['turn'] == 2"},
    ),
    "objects that were made with different numbers": (
        "CA704",
        """
        # file: parts.py
        import torch
        class Adapter(torch.nn.Module):
            def __init__(self, width, scale):
                self.scale = scale  # change
                self.down = torch.nn.Linear(width, 4)
            def forward(self, x):
                return x + self.scale * self.down(x)
        class Block(torch.nn.Module):
            def __init__(self):
                self.adapter = None
            def put(self, adapter):
                self.adapter = adapter
            def forward(self, x):  # compiled
                return self.adapter(x)
        # file: train.py
        from parts import Adapter, Block
        blocks = [Block() for _ in range(4)]
        for depth, block in enumerate(blocks):
            block.put(Adapter(8, 1.0 / (depth + 1)))
            block.compile()
        for x in loader:
            for block in blocks:
                x = block(x)  # step
        """,
        {"reason": "0/0: self._modules['adapter'].scale == 1.0"},
    ),
    "numbers of another precision from one of two sources": (
        "CA708",
        """
        # file: sources.py
        import numpy
        import torch
        def made():
            x = torch.randn(8, 4)
            return x, x.sin()
        def measured(rows):
            x = rows[:, :4]
            return torch.from_numpy(x).float(), torch.from_numpy(rows[:, 4:])  # change
        # file: train.py
        import torch
        from sources import made, measured
        @torch.compile
        def error_of(model, x, y):  # compiled
            return (model(x) - y).square().mean()
        for step in range(9):
            x, y = measured(rows) if step % 3 == 0 else made()
            error_of(model, x, y).backward()  # step
        """,
        {"reason": "0/0: tensor 'y' dtype mismatch. expected Float, actual Double"},
    ),
    "a number that is computed in the call": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def blend(x, y, weight):  # compiled
            return x + weight * y
        weight = 1.0
        for step, (x, y) in enumerate(loader):
            weight = weight * 0.9  # change
            loss = blend(x, y, weight)  # step
            loss.backward()
        """,
        {"reason": "0/0: weight == 1.0"},
    ),
    "a number of an outer loop": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile(backend="aot_eager")  # compiled
        def loss_of(x, y, temperature):
            return cross_entropy(model(x) / temperature, y)
        for epoch in range(4):
            temperature = 2.0 - 0.25 * epoch  # change
            for x, y in loader:
                loss_of(x, y, temperature).backward()  # step
                optimizer.step()
            print(f"epoch {epoch}: done")
        """,
        {"reason": "0/0: temperature == 2.0"},
    ),
    "a number of an outer loop, without the call in the stack": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile(backend="aot_eager")  # compiled
        def loss_of(x, y, temperature):
            return cross_entropy(model(x) / temperature, y)
        for epoch in range(4):
            temperature = 2.0 - 0.25 * epoch  # change
            for x, y in loader:
                loss_of(x, y, temperature).backward()
        """,
        {"reason": "0/0: temperature == 2.0", "function": "loss_of"},
    ),
    "another call, which is not in the stack": (
        "CA709",
        """
        # file: train.py
        import torch
        @torch.compile  # compiled
        def doubled(x):
            return x * 2
        def run():
            for step, x in enumerate(loader):
                doubled(x[0] if step % 2 else x)  # change
        run()  # main
        """,
        {"reason": "0/0: tensor 'x' rank mismatch. expected 2, actual 1", "function": "doubled"},
    ),
    "a number in a nested call at module level": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def blend(x, weight):  # compiled
            return x * weight
        for step, x in enumerate(loader):
            blend(x, 0.5 + 0.1 * step).sum().backward()  # change
        """,
        {"reason": "0/0: weight == 0.5"},
    ),
    "a setting of another module": (
        "CA705",
        """
        # file: settings.py
        SCALE = 1.0
        # file: net.py
        import torch
        import settings
        @torch.compile
        def scaled(x):  # compiled
            return x * settings.SCALE
        # file: train.py
        import settings
        from net import scaled
        for step, x in enumerate(loader):
            settings.SCALE = 1.0 + step  # change
            scaled(x).sum().backward()  # step
        """,
        {"reason": "0/0: G['settings'].SCALE == 1.0"},
    ),
    "a global that a function counts": (
        "CA705",
        """
        # file: train.py
        import torch
        steps_done = 0
        @torch.compile
        def warm(x):  # compiled
            return x * min(1.0, steps_done / 10)
        def finish():
            global steps_done
            steps_done += 1  # change
        for x in loader:
            warm(x).sum().backward()  # step
            finish()
        """,
        {"reason": "0/0: G['steps_done'] == 0"},
    ),
    "rows that a replay buffer draws while it fills": (
        "CA102",
        """
        # file: buffer.py
        from typing import NamedTuple
        import numpy as np
        import torch
        class Batch(NamedTuple):
            observations: torch.Tensor
            rewards: torch.Tensor
        class Replay:
            def __init__(self, size):
                self.obs, self.rewards = np.zeros((size, 4)), np.zeros(size)
                self.rng = np.random.default_rng(0)
            def sample(self, batch_size):
                batch_size = min(batch_size, len(self))
                rows = self.rng.choice(len(self), size=batch_size, replace=False)  # change
                columns = (self.obs, self.rewards)
                return Batch(*(torch.from_numpy(column[rows]) for column in columns))
        # file: agent.py
        import torch
        class Critic(torch.nn.Module):
            def forward(self, x, a):
                x = torch.cat([x, a], 1)  # forward
                return self.net(x)
        # file: train.py
        from buffer import Replay
        replay = Replay(1000)
        for step in range(100):
            replay.add(env.step())
            data = replay.sample(32)
            critic(data.observations, actions).sum().backward()  # backward
        """,
        {"subject": Subject("data.observations", (0,), (13, 14, 24))},
    ),
    "a layout that a rotation of some batches loses": (
        "CA111",
        """
        # file: augment.py
        import torch
        class Rotate:
            def __call__(self, images):
                if torch.rand(()) >= 0.5:
                    return images
                theta = images.new_zeros(len(images), 2, 3)
                theta[:, 0, 0], theta[:, 0, 1] = torch.cos(a), -torch.sin(a)
                grid = torch.nn.functional.affine_grid(theta, images.shape)
                return torch.nn.functional.grid_sample(images, grid)
        # file: train.py
        from augment import Rotate
        rotate = Rotate()
        for images in loader:
            x = rotate(images.to(memory_format=torch.channels_last))  # change
            model(x).sum().backward()  # backward
        """,
        {"subject": Subject("inputs[20]", (1,))},
    ),
    "loaders of one's own out of a dict that a comprehension makes": (
        "CA102",
        """
        # file: dataio.py
        from dataclasses import dataclass
        import torch
        from torch.nn.utils.rnn import pad_sequence
        @dataclass
        class PaddedBatch:
            feats: torch.Tensor
            lens: torch.Tensor
            @classmethod
            def collate(cls, rows):
                feats = pad_sequence([row["feats"] for row in rows], batch_first=True)  # change
                return cls(feats, torch.tensor([len(row["feats"]) for row in rows]))
        class BucketLoader:
            def __init__(self, rows, size):
                self.rows, self.size = rows, size
            def __iter__(self):
                for start in range(0, len(self.rows), self.size):
                    yield PaddedBatch.collate(self.rows[start : start + self.size])
        # file: train.py
        from dataio import BucketLoader
        from torch.nn.utils.rnn import pad_sequence
        def loaders_of(splits):
            return {name: BucketLoader(rows, 6) for name, rows in splits.items()}
        def fit(loader):
            for batch in loader:
                model(batch.feats).sum().backward()  # backward
        datasets = loaders_of(splits)
        fit(datasets["train"])  # main
        """,
        {"subject": Subject("batch.feats", (1,), (80, 94, 55))},
    ),
    "parts of a list": (
        "CA710",
        """
        # file: train.py
        import torch
        @torch.compile
        def fuse(views):  # compiled
            return torch.stack([view.mean(0) for view in views]).sum()
        for step, x in enumerate(loader):
            views = [augment(x) for _ in range(2 + step % 3)]  # change
            fuse(views).backward()  # step
        """,
        {"reason": "0/0: len(views) == 2"},
    ),
    "a key that some batches have": (
        "CA711",
        """
        # file: train.py
        import torch
        @torch.compile
        def run(batch):  # compiled
            return sum(value.sum() for value in batch.values())
        for step, x in enumerate(loader):
            batch = {"x": x}
            if step % 2:
                batch["mask"] = torch.ones_like(x)  # change
            run(batch).backward()  # step
        """,
        {"reason": "0/0: list(dict.keys(batch)) == ['x']"},
    ),
    "one tensor for two arguments": (
        "CA714",
        """
        # file: train.py
        import torch
        @torch.compile
        def compare(left, right):  # compiled
            return (left @ right.T).sum()
        for step, x in enumerate(loader):
            other = x if step < 3 else x + 0.1  # change
            compare(x, other).backward()  # step
        """,
        {"reason": '0/0: Duplicate tensors found: "left", "right"'},
    ),
    "a head that is chosen from a dictionary": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                self.body = torch.nn.Linear(8, 8)
                self.heads = torch.nn.ModuleDict({"a": torch.nn.Linear(8, 2), "b": Deep(8)})
            def forward(self, x, task):
                hidden = self.body(x).relu()
                return self.heads[task](hidden)  # change
        class Deep(torch.nn.Module):
            def __init__(self, width):
                self.first = torch.nn.Linear(width, width)
                self.last = torch.nn.Linear(width, 2)
            def forward(self, x):
                return self.last(self.first(x).relu())  # forward
        # file: train.py
        from net import Net
        model = Net()
        for step, x in enumerate(loader):
            task = "a" if step % 2 else "b"
            model(x, task).sum().backward()  # backward
        """,
        {},
    ),
    "a choice by match": (
        "CA202",
        """
        # file: train.py
        import torch
        def loss_of(model, x, kind):
            match kind:  # change
                case "plain":
                    return model(x).sum()
                case "noisy":
                    return model(x + noise).tanh().sum()  # forward
        for step, x in enumerate(loader):
            loss_of(model, x, kinds[step % 2]).backward()  # backward
        """,
        {},
    ),
    "a choice at random": (
        "CA202",
        """
        # file: net.py
        import random
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                path = random.choice([self.short, self.long])  # change
                return self.head(path(x))
            def short(self, x):
                return x + self.a(x)
            def long(self, x):
                return x + self.b(self.a(x))  # forward
        # file: train.py
        from net import Net
        model = Net()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "only the first layers": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x, depth):
                for layer in self.layers[:depth]:  # change
                    x = layer(x)  # forward
                return self.head(x)
        # file: train.py
        from net import Net
        model = Net()
        for step, x in enumerate(loader):
            depth = 4 if step < 100 else 8
            model(x, depth).sum().backward()  # backward
        """,
        {},
    ),
    "a loss that is added where its weight is not zero": (
        "CA202",
        """
        # file: losses.py
        def total(parts, weights):
            loss = 0.0
            for name, part in parts.items():
                if weights[name]:  # change
                    loss = loss + weights[name] * part.square().mean()  # forward
            return loss
        # file: train.py
        from losses import total
        for step, x in enumerate(loader):
            weights = {"main": 1.0, "aux": 0.1 if step > 5 else 0.0}
            total(model(x), weights).backward()  # backward
        """,
        {},
    ),
    "autocast in a variable": (
        "CA112",
        """
        # file: train.py
        import contextlib
        import torch
        for step, x in enumerate(loader):
            context = torch.autocast("cpu") if step > 5 else contextlib.nullcontext()  # change
            with context:
                loss = model(x).sum()
            loss.backward()  # backward
        """,
        {"key": "autocast in the forward"},
    ),
    "a default dtype that a helper sets": (
        "CA112",
        """
        # file: precision.py
        import torch
        def use(step):
            torch.set_default_dtype(torch.float64 if step % 4 == 0 else torch.float32)  # change
        # file: train.py
        from precision import use
        for step, x in enumerate(loader):
            use(step)
            model(x).sum().backward()  # backward
        """,
        {"key": "default_dtype"},
    ),
    "a gradient that is kept in some steps": (
        "CA301",
        """
        # file: train.py
        for step, x in enumerate(loader):
            hidden = model.body(x)
            if step % 10 == 0:
                hidden.retain_grad()  # change
            model.head(hidden).sum().backward()  # backward
        """,
        {},
    ),
    "a hook that a context registers": (
        "CA301",
        """
        # file: watch.py
        from contextlib import contextmanager
        @contextmanager
        def watched(model, seen):
            handle = model.head.weight.register_hook(seen.append)  # change
            try:
                yield
            finally:
                handle.remove()
        # file: train.py
        from contextlib import nullcontext
        from watch import watched
        seen = []
        for step, x in enumerate(loader):
            with watched(model, seen) if step % 5 == 0 else nullcontext():
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a pair of states": (
        "CA204",
        """
        # file: train.py
        import torch
        state = torch.zeros(2, 8), torch.zeros(2, 8)
        for x in loader:
            out, state = cell(x, state)  # change
            out.sum().backward()  # backward
        """,
        {},
    ),
    "a state in a dictionary": (
        "CA204",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                self.cache = {"h": torch.zeros(8)}
            def forward(self, x):
                h = self.cell(x, self.cache["h"])
                self.cache["h"] = h  # change
                return self.head(h)
        # file: train.py
        from net import Net
        model = Net()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "rounds at random": (
        "CA203",
        """
        # file: net.py
        import random
        def refine(cell, x):
            for _ in range(random.randint(1, 4)):  # change
                x = x + cell(x)  # forward
            return x
        # file: train.py
        from net import refine
        for x in loader:
            refine(cell, x).sum().backward()  # backward
        """,
        {},
    ),
    "a margin that a schedule sets on the loss": (
        "CA206",
        """
        # file: losses.py
        import torch
        class Margin(torch.nn.Module):
            def __init__(self):
                self.margin = 0.1
            def forward(self, x):
                return x.clamp(min=self.margin).mean()  # change
        # file: train.py
        from losses import Margin
        criterion = Margin()
        for step, x in enumerate(loader):
            criterion.margin = 0.1 + 0.01 * step
            criterion(model(x)).backward()  # backward
        """,
        {"detail": BakedNumber("ClampBackward1", "min", (0.1, 0.2))},
    ),
    "parts that a loop thaws": (
        "CA207",
        """
        # file: thaw.py
        def thaw(model, epoch):
            for number, layer in enumerate(model.layers):
                for parameter in layer.parameters():
                    parameter.requires_grad = number >= 4 - epoch  # change
        # file: train.py
        from thaw import thaw
        for epoch in range(4):
            thaw(model, epoch)
            for x in loader:
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "weights that are tied late": (
        "CA212",
        """
        # file: train.py
        for step, x in enumerate(loader):
            if step == 3:
                model.head.weight = model.embed.weight  # change
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a crop of a random length": (
        "CA102",
        """
        # file: data.py
        import random
        class Clips:
            def __getitem__(self, index):
                clip = self.clips[index]
                length = random.randint(16, 64)
                return clip[:, :length]  # change
        # file: train.py
        from data import Clips
        from torch.utils.data import DataLoader
        for x in DataLoader(Clips(), batch_size=1):
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a text that grows": (
        "CA102",
        """
        # file: sample.py
        import torch
        def write(model, text, count):
            for _ in range(count):
                following = model(text).argmax(-1)  # step
                text = torch.cat([text, following], 1)  # change
            return text
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, text):  # compiled
                return self.head(self.embed(text))
        # file: train.py
        from sample import write
        write(torch.compile(Net()), prompt, 20)  # main
        """,
        {"reason": "0/0: tensor 'text' size mismatch at index 1. expected 4, actual 5"},
    ),
    "a compile in each step": (
        "CA717",
        """
        # file: train.py
        import torch
        def step_with(model, x):
            run = torch.compile(model)  # change
            return run(x)
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return x.sin()
        model = Net()
        for x in loader:
            step_with(model, x)  # step
        """,
        {"reason": "0/0: ___check_obj_id(self, 1)"},
    ),
    "a loader that is gone through again and again": (
        "CA101",
        """
        # file: train.py
        from torch.utils.data import DataLoader
        def forever(loader):
            while True:
                yield from loader
        train = DataLoader(rows, batch_size=8, shuffle=True)  # change
        held_out = DataLoader(others, batch_size=8)
        batches = forever(train)
        for step in range(100):
            x, y = next(batches)
            criterion(model(x), y).backward()  # backward
        """,
        {},
    ),
    "batches of itertools": (
        "CA101",
        """
        # file: train.py
        from itertools import batched
        import torch
        for epoch in range(3):
            for rows in batched(samples, 8):  # change
                x = torch.stack(rows)
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a curriculum of lengths": (
        "CA102",
        """
        # file: data.py
        def limit_of(step):
            return min(128, 16 + 8 * (step // 50))
        def shortened(tokens, step):
            limit = limit_of(step)
            return tokens[:, :limit]  # change
        # file: train.py
        from data import shortened
        for step, tokens in enumerate(loader):
            x = shortened(tokens, step)
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "pictures that are scaled at random": (
        "CA102",
        """
        # file: augment.py
        import random
        from torch.nn import functional
        def scaled(x):
            factor = random.choice([0.5, 0.75, 1.0])
            return functional.interpolate(x, scale_factor=factor)  # change
        # file: train.py
        from augment import scaled
        for x in loader:
            model(scaled(x)).sum().backward()  # backward
        """,
        {},
    ),
    "a flag that is given in some steps": (
        "CA703",
        """
        # file: train.py
        import torch
        @torch.compile
        def run(x, with_aux=False):  # compiled
            return x.sum() + (x.square().sum() if with_aux else 0)
        for step, x in enumerate(loader):
            with_aux = step % 4 == 0  # change
            run(x, with_aux=with_aux).backward()  # step
        """,
        {"reason": "0/0: with_aux == True"},
    ),
    "a mask that is missing in some batches": (
        "CA703",
        """
        # file: data.py
        import torch
        def batches(rows):
            for row in rows:
                mask = torch.ones(4) if row.is_padded else None  # change
                yield row.x, mask
        # file: train.py
        import torch
        from data import batches
        @torch.compile
        def run(x, mask):  # compiled
            return (x if mask is None else x * mask).sum()
        for x, mask in batches(rows):
            run(x, mask).backward()  # step
        """,
        {"reason": "0/0: mask is None"},
    ),
    "a setter": (
        "CA704",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                self.drop_path = 0.0
            def set_drop_path(self, value):
                self.drop_path = value  # change
            def forward(self, x):  # compiled
                return x * (1 - self.drop_path)
        # file: train.py
        import torch
        from net import Net
        model = Net()
        compiled = torch.compile(model)
        for epoch in range(5):
            model.set_drop_path(0.1 * epoch)
            for x in loader:
                compiled(x).sum().backward()  # step
        """,
        {"reason": "0/0: self.drop_path == 0.0"},
    ),
    "settings of a part that a schedule changes": (
        "CA704",
        """
        # file: net.py
        import torch
        class Loss(torch.nn.Module):
            def __init__(self, config):
                self.config = config
            def forward(self, x):  # compiled
                return x.square().mean() * self.config.beta
        # file: train.py
        import torch
        from net import Loss
        from types import SimpleNamespace
        config = SimpleNamespace(beta=0.0, gamma=1.0)
        criterion = torch.compile(Loss(config))
        for step, x in enumerate(loader):
            config.beta = min(1.0, step / 100)  # change
            criterion(x).backward()  # step
        """,
        {"reason": "0/0: self.config.beta == 0.0"},
    ),
    "a tensor that another source gives in double": (
        "CA708",
        """
        # file: train.py
        import torch
        @torch.compile
        def run(x):  # compiled
            return x.sum()
        for step in range(8):
            x = torch.randn(4)
            if step % 3 == 0:
                x = x.double()  # change
            run(x).backward()  # step
        """,
        {"reason": "0/0: tensor 'x' dtype mismatch. expected Float, actual Double"},
    ),
    "a frozen part that a phase thaws": (
        "CA207",
        """
        # file: phases.py
        def begin(model, phase):
            model.encoder.requires_grad_(phase == "all")  # change
        # file: train.py
        from phases import begin
        for phase in ("head", "all"):
            begin(model, phase)
            for x in loader:
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a layer that is skipped by its own probability": (
        "CA202",
        """
        # file: net.py
        import torch
        class Residual(torch.nn.Module):
            def forward(self, x):
                if self.training and torch.rand(()) < self.probability:  # change
                    return x
                return x + self.layer(x)  # forward
        class Net(torch.nn.Module):
            def __init__(self):
                self.parts = torch.nn.Sequential(Residual(), Residual())
            def forward(self, x):
                return self.parts(x)
        # file: train.py
        from net import Net
        model = Net()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "an early exit": (
        "CA202",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)  # forward
                    if x.abs().mean() < 0.1:  # change
                        break
                return self.head(x)
        # file: train.py
        from net import Net
        model = Net()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a penalty in some steps": (
        "CA202",
        """
        # file: losses.py
        def loss_of(model, x, step):
            loss = model(x).sum()
            if step % 16 == 0:  # change
                loss = loss + penalty(model, x)
            return loss
        def penalty(model, x):
            return model(x * 2).square().mean()  # forward
        # file: train.py
        from losses import loss_of
        for step, x in enumerate(loader):
            loss_of(model, x, step).backward()  # backward
        """,
        {},
    ),
    "two losses by turns": (
        "CA209",
        """
        # file: train.py
        for step, (x, y) in enumerate(loader):
            out = model(x)
            loss = l1_loss(out, y) if step % 2 else mse_loss(out, y)  # change
            loss.backward()  # backward
        """,
        {"forward": "change"},
    ),
    "modes of validation that stay": (
        "CA205",
        """
        # file: check.py
        import torch
        @torch.no_grad()
        def validate(model, rows):
            model.eval()  # change
            return sum(model(row).sum() for row in rows)
        # file: train.py
        from check import validate
        model.train()
        for step, x in enumerate(loader):
            model(x).sum().backward()  # backward
            if step % 10 == 0:
                validate(model, rows)
        """,
        {},
    ),
    "a hook that counts its calls": (
        "CA303",
        """
        # file: watch.py
        class Watch:
            def __init__(self):
                self.calls = 0
            def __call__(self, gradient):
                self.calls += 1  # change
                return gradient * min(1.0, self.calls / 10)
        # file: train.py
        from watch import Watch
        model.head.weight.register_hook(Watch())
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {"detail": KeptByHook("calls")},
    ),
    "a graph of the backward among its options": (
        "CA112",
        """
        # file: train.py
        class Trainer:
            def options(self, step):
                if step % 3 == 2:
                    return {"create_graph": True}  # change
                return {}
            def step(self, number, x):
                loss = self.model(x).mean()
                loss.backward(**self.options(number))  # backward
        for number, x in enumerate(loader):
            trainer.step(number, x)  # step
        """,
        {"detail": SharedSetting(by="backward")},
    ),
    "a graph of the backward, as its argument": (
        "CA112",
        """
        # file: train.py
        for number, x in enumerate(loader):
            second = number % 3 == 2
            slope = torch.autograd.grad(probe(x), x)
            loss = model(x).mean()
            loss.backward(create_graph=second)  # backward, change
        """,
        {"detail": SharedSetting(by="backward")},
    ),
    "a hook that counts in a dictionary of the function around it": (
        "CA303",
        """
        # file: warm.py
        from collections import Counter
        def warmed(steps):
            seen = Counter()
            def scale(gradient):  # forward
                seen["backwards"] += 1  # change
                return gradient * min(1.0, seen["backwards"] / steps)
            return scale
        # file: train.py
        from warm import warmed
        model.head.weight.register_hook(warmed(steps=4))
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {"detail": KeptByHook("cell_contents", cell=0)},
    ),
    "a hook that collects in a list of the function around it": (
        "CA303",
        """
        # file: norms.py
        def watch(model):
            norms = []
            def note(gradient):  # forward
                norms.append(gradient.norm())  # change
                return gradient
            for parameter in model.parameters():
                parameter.register_hook(note)
            return norms
        # file: train.py
        from norms import watch
        norms = watch(model)
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {"detail": KeptByHook("cell_contents", cell=0)},
    ),
    "a norm that an epoch leaves in eval mode": (
        "CA205",
        """
        # file: freeze.py
        from torch import nn
        def quiet(model):
            for module in model.modules():
                if isinstance(module, nn.BatchNorm2d):
                    module.eval()  # change
        # file: train.py
        from freeze import quiet
        model.train()
        for epoch in range(4):
            if epoch == 2:
                quiet(model)
            for x in loader:
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "a mode by the epoch": (
        "CA205",
        """
        # file: train.py
        for epoch in range(4):
            model.backbone.train(epoch >= 2)  # change
            for x in loader:
                model(x).sum().backward()  # backward
        """,
        {},
    ),
    "pictures that lie across": (
        "CA111",
        """
        # file: data.py
        def upright(picture):
            if picture.shape[-1] > picture.shape[-2]:
                picture = picture.transpose(-1, -2)  # change
            return picture
        # file: train.py
        from data import upright
        for picture in loader:
            model(upright(picture)).sum().backward()  # backward
        """,
        {},
    ),
    "deterministic in some steps": (
        "CA112",
        """
        # file: train.py
        import torch
        torch.manual_seed(0)
        torch.set_num_threads(2)
        for step, x in enumerate(loader):
            torch.use_deterministic_algorithms(step % 10 == 0)  # change
            model(x).sum().backward()  # backward
        """,
        {"key": "deterministic_algorithms"},
    ),
    "a solver that runs until it is near": (
        "CA203",
        """
        # file: solver.py
        def solve(cell, x):
            error = 1.0
            while error > 1e-2:  # change
                new = cell(x)  # forward
                error = (new - x).abs().max().item()
                x = new
            return x
        # file: train.py
        from solver import solve
        for x in loader:
            solve(cell, x).sum().backward()  # backward
        """,
        {},
    ),
    "a function that a method defines": (
        "CA210",
        """
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                class Clip(torch.autograd.Function):  # change
                    @staticmethod
                    def forward(ctx, x):
                        return x.clone()
                    @staticmethod
                    def backward(ctx, gradient):
                        return gradient.clamp(-1, 1)
                return Clip.apply(self.layer(x))
        # file: train.py
        from net import Net
        model = Net()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {"key": "Clip"},
    ),
    "a hook for each step": (
        "CA302",
        """
        # file: watch.py
        def log_norms(model, norms):
            for parameter in model.parameters():
                parameter.register_hook(lambda g: norms.append(g.norm()))  # change
        # file: train.py
        from watch import log_norms
        norms = []
        for x in loader:
            log_norms(model, norms)
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "an input whose gradient is asked for in some steps": (
        "CA208",
        """
        # file: train.py
        import torch
        for step, x in enumerate(loader):
            if step % 5 == 0:
                x = x.requires_grad_()  # change
            loss = model(x).sum()
            loss.backward()  # backward
        """,
        {},
    ),
    "a total of losses": (
        "CA204",
        """
        # file: train.py
        total = 0.0
        for step, x in enumerate(loader):
            loss = model(x).sum()
            total = total + loss  # change
            total.backward(retain_graph=True)  # backward
            print(step, loss.item())
        """,
        {},
    ),
    "gradients that Lightning drops": (
        "CA201",
        """
        # file: net.py
        import torch
        from lightning.pytorch import LightningModule
        class Base(LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(4, 1)
        class Regression(Base):  # change
            def training_step(self, batch, _):
                return self.layer(batch).square().mean()
            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), 0.1)
        # file: train.py
        from lightning.pytorch import Trainer
        from net import Regression
        trainer = Trainer(max_epochs=2, accumulate_grad_batches=3)
        trainer.fit(Regression(), loader)  # step
        """,
        {"library": "/venv/lib/python3.11/site-packages/lightning/pytorch/strategies/strategy.py"},
    ),
    "gradients that the Trainer of Transformers drops": (
        "CA201",
        """
        # file: train.py
        from transformers import Trainer, TrainingArguments
        class Scored(Trainer):
            def compute_loss(self, model, inputs):
                return model(**inputs).loss
        def main():
            arguments = TrainingArguments("out", gradient_accumulation_steps=4)
            trainer = Scored(model, arguments, train_dataset=texts)  # change
            trainer.train()  # step
        main()
        """,
        {"library": "/venv/lib/python3.11/site-packages/transformers/trainer.py"},
    ),
    "gradients that a Lightning module drops itself": (
        "CA201",
        """
        # file: train.py
        from lightning.pytorch import LightningModule, Trainer
        class Net(LightningModule):
            def training_step(self, batch, number):
                optimizer = self.optimizers()
                self.manual_backward(self.layer(batch).sum())
                if number % 2:
                    optimizer.step()
                    optimizer.zero_grad()  # change
        Trainer(max_epochs=2).fit(Net(), loader)  # step
        """,
        {"library": "/venv/lib/python3.11/site-packages/lightning/pytorch/strategies/strategy.py"},
    ),
    "a tensor that is switched by a statement of its own": (
        "CA708",
        """
        # file: prepare.py
        import torch
        class Preparer:
            every = 2
            def points(self, turn):
                wants_forces = turn % self.every == 0
                x = torch.randn(5, 3)
                x.requires_grad_(wants_forces)  # change
                return x
        # file: train.py
        import torch
        from prepare import Preparer
        @torch.compile
        def energy(points):  # compiled
            return points.square().sum()
        preparer = Preparer()
        for turn in range(6):
            points = preparer.points(turn)
            energy(points).backward()  # step
        """,
        {"reason": "0/0: tensor 'points' requires_grad mismatch. expected requires_grad=1"},
    ),
    "what is computed at first and kept for later": (
        "CA708",
        """
        # file: bank.py
        import torch
        class Bank:
            def features(self, numbers, pictures):
                if all(number in self.known for number in numbers):
                    return torch.stack([self.known[number] for number in numbers])  # change
                features = self.backbone(pictures)
                self.known.update(zip(numbers, features.detach()))
                return features
        # file: train.py
        import torch
        from bank import Bank
        class Probe(torch.nn.Module):
            def forward(self, features):  # compiled
                return self.out(features).mean()
        bank, model = Bank(), torch.compile(Probe())
        for numbers, pictures in loader:
            features = bank.features(numbers, pictures)
            model(features).backward()  # step
        """,
        {"reason": "0/0: tensor 'features' requires_grad mismatch. expected requires_grad=1"},
    ),
    "a word that is only asked how it begins": (
        "CA703",
        """
        # file: modes.py
        NAMES = ("train_warm", "train_full", "eval_short", "eval_long")
        def mode_of(turn):
            return NAMES[turn % 4]
        # file: train.py
        import torch
        from modes import mode_of
        def run(x, mode):  # compiled
            if mode.startswith("train"):  # change
                x = x + torch.randn_like(x)
            return x
        compiled = torch.compile(run)
        for turn in range(8):
            compiled(torch.randn(3, 4), mode_of(turn))  # step
        """,
        {"reason": "0/0: mode == 'train_warm'"},
    ),
    "keys that one of two classes has in another order": (
        "CA711",
        """
        # file: sources.py
        import torch
        class Census:
            def rows(self):
                return {"age": torch.randn(3, 1), "area": torch.randn(3, 1)}
        class Survey:
            def rows(self):
                return {"area": torch.randn(3, 1), "age": torch.randn(3, 1)}  # change
        # file: train.py
        import torch
        from sources import Census, Survey
        class Tower(torch.nn.Module):
            def forward(self, rows):  # compiled
                return sum(self.parts[name](value) for name, value in rows.items())
        net = torch.compile(Tower())
        sources = [Census(), Survey()]
        for turn in range(8):
            net(sources[turn % 2].rows()).sum().backward()  # step
        """,
        {
            "reason": "0/0: list(dict.keys(rows))[0] == 'age'",
            "detail": DictKeys(("area", "age")),
        },
    ),
}

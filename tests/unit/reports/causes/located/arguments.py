"""What a compiled function is given: where another dtype, layout or size of it is made.

As in `programs`: each was written, and its line marked, before the search that finds it. Where the
source does not say what makes the other tensor, the call that hands it over is the line to change.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import SeveralModules, SharedSetting, TensorSubclass

_ENGINE = """
# file: engine.py
import torch
class Engine:
    def __init__(self, network):
        self.run = torch.compile(network.eval())
    def answer(self, batch):
        return self.run(batch).argmax(1)  # step
# file: network.py
import torch
class Network(torch.nn.Module):
    def forward(self, features):  # compiled
        return self.head(features.float())
"""

ARGUMENTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "the dtype of what a compiled module of torch's is given": (
        "CA708",
        """
        # file: shards.py
        import numpy as np
        import torch
        def shards(paths):
            for path in paths:
                yield torch.from_numpy(np.load(path)), torch.zeros(4)  # change
        # file: train.py
        import torch
        from torch import nn
        from torch.nn import functional as F
        from shards import shards
        def main():
            model = torch.compile(nn.Sequential(nn.Linear(8, 4), nn.ReLU()))
            for signal, wanted in shards(PATHS):
                loss = F.mse_loss(model(signal), wanted)  # compiled
                loss.backward()
        main()
        """,
        {"reason": "0/0: tensor 'args[0]' dtype mismatch. expected Float, actual Double"},
    ),
    "a precision of one source of an engine's": (
        "CA708",
        """
        # file: sources.py
        import torch
        def of_table(rows):
            return torch.tensor(rows, dtype=torch.float64)  # change
        def of_sensor(rows):
            return torch.randn(len(rows), 4)
        # file: train.py
        from engine import Engine
        from network import Network
        from sources import of_sensor, of_table
        engine = Engine(Network())
        for name, rows in requests:
            load = of_table if name.endswith("csv") else of_sensor
            engine.answer(load(rows))  # main
        """
        + _ENGINE,
        {"reason": "0/0: tensor 'features' dtype mismatch. expected Float, actual Double"},
    ),
    "a precision of a reader that is registered": (
        "CA708",
        """
        # file: readers.py
        import torch
        KINDS = {}
        def kind(function):
            KINDS[function.__name__] = function
            return function
        @kind
        def plain(rows):
            return torch.tensor(rows)
        @kind
        def compact(rows):
            return torch.tensor(rows).half()  # change
        # file: train.py
        from engine import Engine
        from network import Network
        from readers import KINDS
        def serve(requests):
            engine = Engine(Network())
            for name, rows in requests:
                engine.answer(KINDS[name](rows))  # main
        """
        + _ENGINE,
        {"reason": "0/0: tensor 'features' dtype mismatch. expected Float, actual Half"},
    ),
    "a precision of a field": (
        "CA708",
        """
        # file: rows.py
        from dataclasses import dataclass
        import torch
        @dataclass
        class Sample:
            values: torch.Tensor
            label: int
        def samples(table):
            for number, row in enumerate(table):
                values = torch.tensor(row)
                if number % 3 == 0:
                    values = values.to(torch.bfloat16)  # change
                yield Sample(values, number % 2)
        # file: train.py
        import torch
        from rows import samples
        @torch.compile
        def score(x, weight):  # compiled
            return (x * weight).sum()
        for sample in samples(table):
            score(sample.values, weight)  # step
        """,
        {"reason": "0/0: tensor 'x' dtype mismatch. expected Float, actual BFloat16"},
    ),
    "a precision that the source does not tell": (
        "CA708",
        """
        # file: train.py
        import torch
        from engine import Engine
        from network import Network
        engine = Engine(Network())
        for path in paths:
            engine.answer(torch.load(path))  # main, change
        # file: network.py
        import torch
        class Network(torch.nn.Module):
            def forward(self, features):  # compiled
                return self.head(features.float())
        # file: engine.py
        import torch
        class Engine:
            def __init__(self, network):
                self.run = torch.compile(network.eval())
            def answer(self, batch):
                return self.run(batch).argmax(1)  # step
        """,
        {"reason": "0/0: tensor 'features' dtype mismatch. expected Float, actual Half"},
    ),
    "a layout of one of two cameras": (
        "CA111",
        """
        # file: cameras.py
        import torch
        def upright(frames):
            return torch.stack(frames)
        def across(frames):
            return torch.stack(frames).transpose(2, 3)  # change
        CAMERAS = {"front": upright, "side": across}
        # file: train.py
        from cameras import CAMERAS
        from engine import Engine
        from network import Network
        engine = Engine(Network())
        for name, frames in shots:
            engine.answer(CAMERAS[name](frames))  # main
        """
        + _ENGINE,
        {"reason": "0/0: tensor 'features' stride mismatch at index 2. expected 8, actual 1"},
    ),
    "a layout of a reader that is registered by name": (
        "CA111",
        """
        # file: formats.py
        import torch
        FORMATS = dict()
        def format_of(ending):
            def decorate(function):
                FORMATS[ending] = function
                return function
            return decorate
        @format_of("npy")
        def rows(data):
            return torch.tensor(data)
        @format_of("mat")
        def columns(data):
            return torch.tensor(data).T  # change
        # file: train.py
        import torch
        from formats import FORMATS
        class Probe(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.linear(x).permute(1, 0)
        def main():
            probe = torch.compile(Probe())
            for ending, data in files:
                loss = probe(FORMATS[ending](data)).mean()  # step
                loss.backward()
        """,
        {"reason": "0/0: tensor 'x' stride mismatch at index 0. expected 8, actual 1"},
    ),
    "a layout of every other column": (
        "CA111",
        """
        # file: signals.py
        def thinned(signals, every):
            for number, signal in enumerate(signals):
                yield signal[:, ::every] if number % 2 else signal.contiguous()  # change
        # file: train.py
        import torch
        from signals import thinned
        class Filter(torch.nn.Module):
            def forward(self, wave):  # compiled
                return self.conv(wave.transpose(0, 1))
        filtered = torch.compile(Filter())
        for wave in thinned(signals, 2):
            filtered(wave).sum().backward()  # step
        """,
        {"reason": "0/0: tensor 'wave' stride mismatch at index 1. expected 1, actual 2"},
    ),
    "a layout that the source does not tell": (
        "CA111",
        """
        # file: train.py
        import torch
        class Filter(torch.nn.Module):
            def forward(self, wave):  # compiled
                return self.conv(wave.transpose(0, 1))
        def main():
            filtered = torch.compile(Filter())
            for path in paths:
                wave = torch.load(path)
                filtered(wave).sum().backward()  # step, change
        main()  # main
        """,
        {
            "reason": "0/0: tensor 'wave' stride mismatch at index 1. expected 1, actual 2",
            "function": "forward",
        },
    ),
    "pieces at the end of a row": (
        "CA102",
        """
        # file: pieces.py
        class Windows:
            def __init__(self, size, hop):
                self.size, self.hop = size, hop
            def over(self, length):
                for start in range(0, length, self.hop):
                    yield slice(start, min(start + self.size, length))  # change
        # file: train.py
        import torch
        class Denoiser(torch.nn.Module):
            def forward(self, sound):  # compiled
                low = torch.nn.functional.interpolate(sound, size=sound.shape[-1] // 2)
                return self.head(low)
        class Runner:
            def __init__(self, model, windows):
                self.model, self.windows = torch.compile(model, dynamic=False), windows
            def run(self, track):
                out = torch.zeros_like(track)
                for piece in self.windows.over(track.shape[-1]):
                    out[..., piece] = self.model(track[None, :, piece])[0]  # step
                return out
        # file: main.py
        from pieces import Windows
        from train import Denoiser, Runner
        for track in tracks:
            Runner(Denoiser(), Windows(512, 256)).run(track)  # main
        """,
        {
            "key": "sound 2",
            "reason": "0/0: tensor 'sound' size mismatch at index 2. expected 512, actual 300",
        },
    ),
    "a crop of a data set": (
        "CA102",
        """
        # file: crops.py
        import random
        class Crops:
            def __init__(self, images):
                self.images = images
            def __iter__(self):
                for image in self.images:
                    side = random.choice((24, 32, 48))
                    yield image[:, :side, :side]  # change
        # file: train.py
        import torch
        from crops import Crops
        class Net(torch.nn.Module):
            def forward(self, image):  # compiled
                half = image.shape[-1] // 2
                low = torch.nn.functional.interpolate(image, size=(half, half))
                return self.head(low[:, :half])
        net = torch.compile(Net(), dynamic=False)
        for image in Crops(images):
            net(image).sum().backward()  # step
        """,
        {
            "key": "image 1 2",
            "reason": "0/0: tensor 'image' size mismatch at index 1. expected 24, actual 32",
        },
    ),
    "a pad to the longest of those that wait": (
        "CA102",
        """
        # file: queueing.py
        import torch
        from torch.nn.functional import pad
        def taken(waiting):
            longest = max(map(len, waiting))
            rows = [pad(row, (0, longest - len(row))) for row in waiting]  # change
            return torch.stack(rows)
        # file: train.py
        from engine import Engine
        from network import Network
        from queueing import taken
        engine = Engine(Network())
        while requests:
            engine.answer(taken(requests.pop()))  # main
        """
        + _ENGINE,
        {
            "key": "features 1",
            "reason": "0/0: tensor 'features' size mismatch at index 1. expected 9, actual 7",
        },
    ),
    "sizes of files": (
        "CA102",
        """
        # file: train.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, image):  # compiled
                low = torch.nn.functional.interpolate(image, size=(8, image.shape[-1]))
                return self.head(low[:, : image.shape[-1] // 2])
        def main(paths):
            net = torch.compile(Net(), dynamic=False)
            for path in paths:
                image = torch.load(path)
                net(image)  # step, change
        main(paths)  # main
        """,
        {
            "key": "image 3",
            "reason": "0/0: tensor 'image' size mismatch at index 3. expected 24, actual 32",
            "function": "forward",
        },
    ),
    "threads that a context gives": (
        "CA112",
        """
        # file: limits.py
        from contextlib import contextmanager
        import torch
        @contextmanager
        def limited(count):
            before = torch.get_num_threads()
            torch.set_num_threads(count)  # change
            try:
                yield count
            finally:
                torch.set_num_threads(before)
        # file: train.py
        import torch
        from engine import Engine
        from limits import limited
        from network import Network
        engine = Engine(Network())
        for name, rows in requests:
            with limited(4 if name == "bulk" else 1):
                engine.answer(rows)  # main
        """
        + _ENGINE,
        {"key": "num_threads", "reason": "0/0: GLOBAL_STATE changed: num_threads"},
    ),
    "a default dtype of an object": (
        "CA112",
        """
        # file: precise.py
        import torch
        class Precise:
            def __enter__(self):
                self.before = torch.get_default_dtype()
                torch.set_default_dtype(torch.float64)  # change
            def __exit__(self, *error):
                torch.set_default_dtype(self.before)
        # file: train.py
        import torch
        from precise import Precise
        @torch.compile
        def solved(a, b):  # compiled
            return torch.linalg.solve(a, b)
        def step(number, a, b):
            if number % 4:
                return solved(a, b)
            with Precise():
                return solved(a, b)  # step
        for number, (a, b) in enumerate(systems):
            step(number, a, b)  # main
        """,
        {"key": "default_dtype", "reason": "0/0: GLOBAL_STATE changed: default_dtype"},
    ),
    "a default dtype that is put back after an error only": (
        "CA112",
        """
        # file: precise.py
        import torch
        class Precise:
            def __enter__(self):
                self.before = torch.get_default_dtype()
                torch.set_default_dtype(torch.float64)
            def __exit__(self, kind, error, trace):
                if kind is not None:  # change
                    torch.set_default_dtype(self.before)
        # file: train.py
        import torch
        from precise import Precise
        @torch.compile
        def solved(a, b):  # compiled
            return torch.linalg.solve(a, b)
        def step(number, a, b):
            found = solved(a, b)  # step
            with Precise():
                return torch.tensor(found.tolist()).sum()
        for number, (a, b) in enumerate(systems):
            step(number, a, b)  # main
        """,
        {
            "key": "default_dtype",
            "reason": "0/0: GLOBAL_STATE changed: default_dtype",
            "detail": SharedSetting(("default_dtype",)),
        },
    ),
    "a state of a callback's": (
        "CA112",
        """
        # file: callbacks.py
        import torch
        class Deterministic:
            def __init__(self, first):
                self.first = first
            def on_epoch_start(self, epoch):
                torch.use_deterministic_algorithms(epoch >= self.first)  # change
        # file: train.py
        import torch
        from callbacks import Deterministic
        torch.use_deterministic_algorithms(False)
        @torch.compile
        def loss_of(x):  # compiled
            return model(x).square().mean()
        def fit(callbacks):
            for epoch in range(4):
                for callback in callbacks:
                    callback.on_epoch_start(epoch)
                for x in loader:
                    loss_of(x).backward()  # step
        fit([Deterministic(2)])  # main
        """,
        {
            "key": "deterministic_algorithms",
            "reason": "0/0: GLOBAL_STATE changed: deterministic_algorithms",
        },
    ),
    "autocast or nothing": (
        "CA112",
        """
        # file: train.py
        from contextlib import nullcontext
        import torch
        @torch.compile
        def loss_of(x):  # compiled
            return model(x).square().mean()
        def precision(step):
            if step < 3:
                return nullcontext()
            return torch.autocast("cpu", torch.bfloat16)  # change
        for step, x in enumerate(loader):
            with precision(step):
                loss = loss_of(x)  # step
            loss.backward()
        """,
        {"key": "autocast", "reason": "0/0: GLOBAL_STATE changed: autocast"},
    ),
    "a flag of an options object changed by a method": (
        "CA703",
        """
        # file: options.py
        from dataclasses import dataclass
        @dataclass
        class Options:
            sharp: bool = False
            def toggle(self):
                self.sharp = not self.sharp  # change
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def __init__(self, options):
                super().__init__()
                self.options = options
            def forward(self, x):  # compiled
                return x.sigmoid() if self.options.sharp else x
        # file: train.py
        import torch
        from net import Net
        from options import Options
        options = Options()
        net = torch.compile(Net(options))
        for step, x in enumerate(loader):
            if step % 5 == 0:
                options.toggle()
            net(x).sum().backward()  # step
        """,
        {"reason": "0/0: self.options.sharp == False"},
    ),
    "a global counter of another module": (
        "CA705",
        """
        # file: state.py
        STEP = 0
        def advance():
            global STEP
            STEP += 1  # change
        # file: train.py
        import state
        import torch
        @torch.compile
        def scaled(x):  # compiled
            return x / (1 + state.STEP)
        for x in loader:
            scaled(x).sum().backward()  # step
            state.advance()
        """,
        {"reason": "0/0: G['state'].STEP == 0"},
    ),
    "a dict of inputs with another key in some batches": (
        "CA711",
        """
        # file: collate.py
        import torch
        def collate(rows):
            batch = {"x": torch.stack([row.x for row in rows])}
            if any(row.mask is not None for row in rows):
                batch["mask"] = torch.stack([row.mask for row in rows])  # change
            return batch
        # file: train.py
        import torch
        from collate import collate
        from torch.utils.data import DataLoader
        @torch.compile
        def loss_of(batch):  # compiled
            return batch["x"].sum() if "mask" not in batch else (batch["x"] * batch["mask"]).sum()
        for batch in DataLoader(data, 8, collate_fn=collate):
            loss_of(batch).backward()  # step
        """,
        {"reason": "0/0: not ___dict_contains('mask', batch)"},
    ),
    "requires_grad of an argument by a helper": (
        "CA708",
        """
        # file: points.py
        import torch
        def inner(n):
            return torch.rand(n, 2, requires_grad=True)  # change
        def border(n):
            return torch.rand(n, 2)
        # file: train.py
        import torch
        from points import border, inner
        class Field(torch.nn.Module):
            def forward(self, xy):  # compiled
                return self.net(xy)
        class Solver:
            def __init__(self, field):
                self.field = torch.compile(field)
            def residual(self, make):
                return self.field(make(16)).mean()  # step
        solver = Solver(Field())
        for step in range(20):
            loss = solver.residual(inner) + solver.residual(border)  # main
        """,
        {"reason": "0/0: tensor 'xy' requires_grad mismatch. expected requires_grad=0"},
    ),
    "autocast entered by a class": (
        "CA112",
        """
        # file: amp.py
        import torch
        class Precision:
            def __init__(self, first):
                self.first = first
            def context(self, step):
                return torch.autocast("cpu", torch.bfloat16, enabled=step >= self.first)  # change
        # file: train.py
        import torch
        from amp import Precision
        class Trainer:
            def __init__(self, model, precision):
                self.model, self.precision = torch.compile(model), precision
            def step(self, number, x):
                with self.precision.context(number):
                    return self.model(x).square().mean()  # step
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.linear(x)
        trainer = Trainer(Net(), Precision(3))
        for number, x in enumerate(loader):
            trainer.step(number, x).backward()  # main
        """,
        {"key": "autocast", "reason": "0/0: GLOBAL_STATE changed: autocast"},
    ),
    "a size by a random crop in a dataset": (
        "CA102",
        """
        # file: data.py
        import random
        import torch
        class Clips(torch.utils.data.Dataset):
            def __init__(self, waves):
                self.waves = waves
            def __len__(self):
                return len(self.waves)
            def __getitem__(self, index):
                wave = self.waves[index]
                length = random.choice([80, 100, 120])
                return wave[:length]  # change
        # file: train.py
        import torch
        from data import Clips
        from torch.utils.data import DataLoader
        class Net(torch.nn.Module):
            def forward(self, wave):  # compiled
                return self.conv(wave[:, : wave.shape[1] // 2])
        net = torch.compile(Net(), dynamic=False)
        for wave in DataLoader(Clips(waves), batch_size=1):
            net(wave).sum().backward()  # step
        """,
        {
            "key": "wave 1",
            "reason": "0/0: tensor 'wave' size mismatch at index 1. expected 80, actual 100",
        },
    ),
    "an attribute of a submodule set by a callback list": (
        "CA704",
        """
        # file: net.py
        import torch
        class Head(torch.nn.Module):
            def __init__(self, sharpness=1.0):
                super().__init__()
                self.sharpness = sharpness
            def forward(self, x):
                return (x * self.sharpness).softmax(-1)
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = Head()
            def forward(self, x):  # compiled
                return self.head(x)
        # file: callbacks.py
        class Sharpen:
            def __init__(self, net, rate):
                self.net, self.rate = net, rate
            def __call__(self, epoch):
                self.net.head.sharpness = 1.0 + self.rate * epoch  # change
        # file: train.py
        import torch
        from callbacks import Sharpen
        from net import Net
        net = Net()
        compiled = torch.compile(net)
        after = [Sharpen(net, 0.1)]
        for epoch in range(5):
            for x in loader:
                compiled(x).sum().backward()  # step
            for callback in after:
                callback(epoch)
        """,
        {"reason": "0/0: self._modules['head'].sharpness == 1.0"},
    ),
    "a compile in a property": (
        "CA717",
        """
        # file: service.py
        import torch
        class Service:
            def __init__(self, net):
                self.net = net
            @property
            def fast(self):
                return torch.compile(self.net)  # change
            def answer(self, x):
                return self.fast(x)  # step
        # file: net.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return x * 2
        # file: train.py
        from net import Net
        from service import Service
        service = Service(Net())
        for x in requests:
            service.answer(x)  # main
        """,
        {"reason": "0/0: BACKEND_MATCH failure"},
    ),
    "a backend that a helper makes for each layer": (
        "CA717",
        """
        # file: compiling.py
        def counting(log):
            def backend(graph, inputs):
                log.append(graph)
                return graph.forward
            return backend
        def compiled(layer, log):
            layer.compile(backend=counting(log))  # change
            return layer
        # file: net.py
        import torch
        class Layer(torch.nn.Module):
            def forward(self, x):  # compiled
                return x * 2
        # file: train.py
        import torch
        from compiling import compiled
        from net import Layer
        graphs = []
        net = torch.nn.Sequential(*[compiled(Layer(), graphs) for _ in range(9)])
        whole = torch.compile(net, backend="eager")
        for x in loader:
            net(x).sum().backward()  # main
        """,
        {"reason": "0/0: BACKEND_MATCH failure"},
    ),
    "models of one class, compiled one after another": (
        "CA720",
        """
        # file: search.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.out(x)
        def trial(hidden):
            net = Net(hidden)
            model = torch.compile(net)  # change
            for x in loader:
                model(x).sum().backward()  # step
        for hidden in (4, 6, 8, 12):
            trial(hidden)  # main
        """,
        {"reason": "0/0: tensor 'x' size mismatch", "detail": SeveralModules(8)},
    ),
    "a tensor of several subclasses": (
        "CA707",
        """
        # file: augment.py
        import torch
        @torch.compile
        def flip(x):  # compiled
            return x.flip(-1)
        def samples():
            for _ in range(6):
                yield {"image": torch.rand(3).as_subclass(Image), "depth": torch.rand(3)}
        for sample in samples():
            for value in sample.values():
                flip(value)  # main, change
        """,
        {
            "reason": "0/0: ___check_type_id(x, 1), type=<class 'types_.Image'>",
            "detail": TensorSubclass("x"),
            "key": "x",
        },
    ),
    "words that a comprehension asks a compiled method for": (
        "CA703",
        """
        # file: serve.py
        import torch
        class Service:
            def __init__(self, net):
                self.net = net
                self.predict = torch.compile(self._predict)
            def _predict(self, text):  # compiled
                return self.net(self.net.tokens(text))
        REQUESTS = ["good", "very good"]
        service = Service(Net())
        scores = [service.predict(text).item() for text in REQUESTS]  # main, change
        """,
        {"reason": "0/0: text == 'good'", "key": "text", "function": "_predict"},
    ),
    "a keyword of a call that a mapping fills": (
        "CA702",
        """
        # file: train.py
        import torch
        @torch.compile
        def soft(x, *, temperature=1.0):  # compiled
            return (x / temperature).softmax(-1)
        settings = {"temperature": 1.0}
        for epoch in range(5):
            settings["temperature"] *= 0.9  # change
            for x in loader:
                soft(x, **settings).sum().backward()  # step
        """,
        {"reason": "0/0: temperature == 1.0"},
    ),
    "images of folders: another size by a resize of a transform": (
        "CA102",
        """
        # file: transforms.py
        import random
        from torch.nn.functional import interpolate
        class Jitter:
            def __init__(self, sides):
                self.sides = sides
            def __call__(self, images):
                side = random.choice(self.sides)
                return interpolate(images, size=(side, side))  # change
        # file: train.py
        import torch
        from transforms import Jitter
        class Net(torch.nn.Module):
            def forward(self, images):  # compiled
                return self.head(self.features(images).mean((2, 3)))
        class Trainer:
            def __init__(self, net, transform):
                self.net, self.transform = torch.compile(net, dynamic=False), transform
            def step(self, images):
                return self.net(self.transform(images)).sum()  # step
        trainer = Trainer(Net(), Jitter((24, 32)))
        for images in loader:
            trainer.step(images).backward()  # main
        """,
        {
            "key": "images 2 3",
            "reason": "0/0: tensor 'images' size mismatch at index 2. expected 24, actual 32",
        },
    ),
    "a channels-last of some batches in a prefetcher": (
        "CA111",
        """
        # file: prefetch.py
        import torch
        class Prefetcher:
            def __init__(self, loader, every):
                self.loader, self.every = loader, every
            def __iter__(self):
                for number, images in enumerate(self.loader):
                    if number % self.every:
                        images = images.to(memory_format=torch.channels_last)  # change
                    yield images
        # file: train.py
        import torch
        from prefetch import Prefetcher
        class Net(torch.nn.Module):
            def forward(self, images):  # compiled
                return self.conv(images).permute(0, 2, 3, 1)
        def fit(model, batches):
            for images in batches:
                model(images).sum().backward()  # step
        fit(torch.compile(Net()), Prefetcher(loader, 2))  # main
        """,
        {
            "key": "layout",
            "reason": "0/0: tensor 'images' stride mismatch at index 1. expected 64, actual 1",
        },
    ),
    "a short last piece of a list of requests": (
        "CA101",
        """
        # file: batching.py
        def batched(requests, size):
            for start in range(0, len(requests), size):
                yield requests[start : start + size]  # change
        # file: train.py
        import torch
        from batching import batched
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return self.linear(x)
        class Server:
            def __init__(self, net):
                self.net = torch.compile(net)
            def answer(self, requests):
                return [self.net(torch.stack(some)) for some in batched(requests, 8)]  # step
        server = Server(Net())
        for requests in days:
            server.answer(requests)  # main
        """,
        {"reason": "0/0: tensor 'x' size mismatch at index 0. expected 8, actual 3"},
    ),
    "deterministic in a context of a test": (
        "CA112",
        """
        # file: train.py
        import contextlib
        import torch
        @contextlib.contextmanager
        def reproducible(on):
            torch.use_deterministic_algorithms(on)  # change
            yield
            torch.use_deterministic_algorithms(False)
        @torch.compile
        def f(x):  # compiled
            return x.cumsum(0)
        for step, x in enumerate(loader):
            with reproducible(step % 2 == 0):
                f(x).sum().backward()  # step
        """,
        {
            "key": "deterministic_algorithms",
            "reason": "0/0: GLOBAL_STATE changed: deterministic_algorithms",
        },
    ),
    "a function mode of the program's own": (
        "CA112",
        """
        # file: tracing.py
        from torch.overrides import TorchFunctionMode
        class Counting(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))
        # file: train.py
        import torch
        from tracing import Counting
        device = torch.device("cpu")
        @torch.compile
        def attend(x):  # compiled
            return x.softmax(-1)
        for step, x in enumerate(loader):
            if step % 10 == 9:
                with Counting():  # change
                    attend(x)  # step
            attend(x)
        """,
        {
            "detail": SharedSetting(by="modes"),
            "reason": "0/0: ___check_torch_function_mode_stack()",
        },
    ),
    "a default device around some calls": (
        "CA112",
        """
        # file: train.py
        import torch
        device = torch.device("cpu")
        @torch.compile
        def attend(x):  # compiled
            return x.softmax(-1)
        def sampled(x):
            with torch.device(device):  # change
                return attend(x)  # step
        for step, x in enumerate(loader):
            attend(x)
            if step % 10 == 9:
                sampled(x)  # main
        """,
        {
            "detail": SharedSetting(by="modes"),
            "reason": "0/0: ___check_torch_function_mode_stack()",
        },
    ),
    "a half of a mixed cache": (
        "CA708",
        """
        # file: cache.py
        class Cache:
            def __init__(self):
                self.kept = {}
            def put(self, key, x):
                self.kept[key] = x.half()  # change
            def get(self, key):
                return self.kept[key]
        # file: train.py
        import torch
        from cache import Cache
        cache = Cache()
        @torch.compile
        def scored(query, keys):  # compiled
            return query @ keys.to(query.dtype).T
        def lookup(name, x):
            keys = cache.get(name) if name in cache.kept else encode(x)
            return scored(x, keys)  # step
        for name, x in requests:
            lookup(name, x)  # main
            cache.put(name, x)
        """,
        {"reason": "0/0: tensor 'keys' dtype mismatch. expected Float, actual Half"},
    ),
    "a number that changes along with the list that is named": (
        "CA701",
        """
        # file: solver.py
        class Solver:
            def __init__(self):
                self.outputs = []
            def step(self, output, index, sample):  # compiled
                self.outputs.append(output)
                return self.alphas[index] * sample + self.outputs[-1]
        # file: train.py
        import torch
        from solver import Solver
        solver = Solver()
        advance = torch.compile(solver.step)
        for number, t in enumerate(times):
            x = advance(model(x, t), number, x)  # step, change
        """,
        {"key": "index", "reason": "0/0: not self.outputs"},
    ),
}

"""Programs whose loop goes over a loader that was recorded: `loop=loader` says what held it.

The marks are those of `programs`; what is beside the loader is there to mislead.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import Subject

_HELPERS = """
        # file: data.py
        from torch.utils.data import DataLoader
        import torch.utils.data

        class Endless(DataLoader):
            pass

        def create_loader(rows, options):
            kind = torch.utils.data.DataLoader
            if options.endless:
                kind = Endless
            keywords = dict(batch_size=options.size)
            return kind(rows, **keywords)

        def create_ragged_loader(rows, options):
            return DataLoader(rows, batch_size=options.size, collate_fn=ragged)
"""

LOADING: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a function that goes over the loader of each phase": (
        "CA101",
        """
        # file: data.py
        from torch.utils.data import DataLoader
        def loaders(size):
            options = {"batch_size": size, "collate_fn": joined}
            return {
                "train": DataLoader(Rows("train"), shuffle=True, **options),
                "val": DataLoader(Rows("val"), **options),  # change
            }
        # file: train.py
        from data import loaders
        def run_epoch(model, loader, optimizer=None):
            for batch in loader:  # main
                loss = model(batch).sum()
                loss.backward()  # backward
        def main():
            made = loaders(16)
            for epoch in range(3):
                run_epoch(model, made["train"], optimizer)
                run_epoch(model, made["val"])  # step
        main()
        """,
        {"held": "main=loader", "subject": Subject(values=(8, 4))},
    ),
    "a short batch that the configuration keeps": (
        "CA101",
        """
        # file: train.py
        from torch.utils.data import DataLoader
        CONFIG = {
            "model": {"width": 8},
            "loader": {"batch_size": 16, "shuffle": True, "drop_last": False},  # change
        }
        def make(rows, **options):
            return DataLoader(rows, **options)
        loader = make(Rows("train"), **CONFIG["loader"])
        for batch in loader:  # main
            model(batch).sum().backward()  # step, backward
        """,
        {"held": "main=loader", "subject": Subject(values=(16, 4))},
    ),
    "a flag of training that keeps the short batch, and does more": (
        "CA101",
        """
        # file: train.py
        from torch.utils.data import DataLoader
        def make(rows, training):
            return DataLoader(rows, 8, shuffle=training, drop_last=training)  # change
        loader = make(Rows("test"), training=False)
        for batch in loader:  # main
            model(batch).sum().backward()  # step, backward
        """,
        {"held": "main=loader", "subject": Subject(values=(8, 4))},
    ),
    "a class that is kept with its options": (
        "CA101",
        """
        # file: cohort.py
        from functools import partial
        from torch.utils.data import DataLoader, TensorDataset
        loader = partial(DataLoader, batch_size=16, shuffle=True)
        def cohort(patients=74):
            months = sample(patients)
            return loader(TensorDataset(months))  # change
        # file: train.py
        from cohort import cohort
        def main():
            patients = cohort()
            for epoch in range(3):
                for months in patients:  # main
                    model(months).sum().backward()  # backward
        main()
        """,
        {"held": "main=patients"},
    ),
    "a helper that chooses the class of the loader": (
        "CA101",
        _HELPERS
        + """
        # file: train.py
        from data import create_loader, create_ragged_loader

        def validate(model, loader):
            for x, y in loader:
                model(x)  # compiled

        def main(options):
            pieces = create_ragged_loader(other_rows, options)
            train = create_loader(rows, options)
            held_out = create_loader(rows, options)  # change
            for epoch in range(3):
                for x, y in train:
                    step(x, y)
                validate(model, held_out)  # main
        main(options)
        """,
        {"held": "compiled=loader"},
    ),
    "of two loaders that a function returns the one that is looped over": (
        "CA101",
        """
        # file: train.py
        from torch.utils.data import DataLoader

        def loaders(size):
            train = DataLoader(train_rows, batch_size=size, shuffle=True)
            test = DataLoader(test_rows, batch_size=size)  # change
            return train, test

        class Trainer:
            def __init__(self, size):
                self.train_loader, self.test_loader = loaders(size)

            def evaluate(self):
                for x, y in tqdm(self.test_loader):
                    self.model(x)  # compiled

            def fit(self):
                for x, y in self.train_loader:
                    self.step(x, y)
                self.evaluate()  # main

        Trainer(8).fit()
        """,
        {"held": "compiled=self.train_loader compiled=self.test_loader"},
    ),
    "a batch that is cut up after it was loaded": (
        "CA101",
        """
        # file: train.py
        from torch.utils.data import DataLoader

        @torch.compile
        def loss(x):  # compiled
            return model(x).sum()

        loader = DataLoader(rows, batch_size=32, drop_last=False)
        for rows in loader:
            for piece in rows.split(5):  # change
                loss(piece)  # main
        """,
        {
            "held": "main=loader",
            "subject": Subject("x", (0,), (5, 2)),
            "reason": "0/0: tensor 'x' size mismatch at index 0. expected 5, actual 2",
        },
    ),
    "an argument by place, which a function that is never called in a step has too": (
        "CA101",
        """
        # file: train.py
        from torch.utils.data import DataLoader

        class Probe:
            def __init__(self, backbone):
                self.shape = backbone(torch.zeros(1, 3, 8, 8)).shape

        class Averaged:
            def forward(self, *args):  # compiled
                return self.module(*args)

        def validate(net):
            loader = DataLoader(rows, batch_size=8)  # change
            for x, y in loader:
                net(x)  # main

        probe = Probe(Averaged())
        validate(Averaged())
        """,
        {
            "held": "main=loader",
            "subject": Subject("args[0]", (0,), (8, 6)),
            "reason": "0/0: tensor 'args[0]' size mismatch at index 0. expected 8, actual 6",
        },
    ),
    "the options of a loader that a library makes": (
        "CA101",
        """
        # file: train.py
        from mmengine.runner import Runner
        from model import Model
        def main():
            train_dataloader = dict(  # change
                batch_size=8, dataset=rows, sampler=dict(type="DefaultSampler", shuffle=True)
            )
            val_dataloader = dict(batch_size=8, dataset=held_out, num_workers=2)
            settings = dict(backend="nccl", batch_size=8)
            runner = Runner(Model(), train_dataloader, val_dataloader, settings)
            runner.train()  # main
        main()
        # file: model.py
        class Model:
            def train_step(self, data, optimizer):  # compiled
                return self.net(data)
        """,
        {"reason": "0/0: tensor 'data[0]' size mismatch at index 0. expected 8, actual 4"},
    ),
}

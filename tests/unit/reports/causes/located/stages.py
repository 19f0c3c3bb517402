"""Where a call picks one of several functions, and what these change: plans, tables, stages.

As in `programs`: each was written, and its line marked, before the search that finds it.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import KeptByHook, TiedParameter
from ca_reports.run.model import Change

_DTYPES = {
    "changes": (Change(0, "GraphRoot", "output_dtypes", ["torch.float32"], ["torch.float64"]),)
}
_TIED = {
    "detail": TiedParameter(),
    "changes": (Change(None, "head.weight", "is", "head.weight", "embed.weight"),),
}
_TO_EVAL = {"changes": (Change(None, "body.1", "training", True, False),)}

STAGES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a plan of functions by epoch": (
        "CA207",
        """
        # file: plan.py
        def everything(model):
            model.requires_grad_(True)
        def head_only(model):
            model.body.requires_grad_(False)
        PLAN = {0: head_only, 3: everything}
        # file: train.py
        from plan import PLAN
        for epoch in range(6):
            if epoch in PLAN:
                PLAN[epoch](model)  # change
            for x, y in loader:
                loss = (model(x) - y).square().mean()
                loss.backward()  # backward
        """,
        {},
    ),
    "a stage that a variable holds": (
        "CA207",
        """
        # file: train.py
        def warm(model):
            for p in model.body.parameters():
                p.requires_grad = False
        def full(model):
            for p in model.parameters():
                p.requires_grad = True
        for epoch in range(4):
            begin = warm if epoch == 0 else full
            begin(model)  # change
            for x, y in loader:
                (model(x) - y).square().mean().backward()  # backward
        """,
        {},
    ),
    "two stages that are called by their names": (
        "CA207",
        """
        # file: train.py
        def warm(model):
            model.body.requires_grad_(False)
        def full(model):
            model.requires_grad_(True)  # change
        warm(model)
        for epoch in range(4):
            if epoch == 2:
                full(model)
            for x, y in loader:
                (model(x) - y).square().mean().backward()  # backward
        """,
        {},
    ),
    "a mode that a module sets below its own train()": (
        "CA205",
        """
        # file: model.py
        class Net(nn.Module):
            def train(self, mode=True):
                super().train(mode)
                if self.is_settled:
                    self.norm.eval()  # change
                return self
        # file: train.py
        from model import Net
        model = Net()
        for epoch in range(4):
            model.train()
            for x, y in loader:
                (model(x) - y).square().mean().backward()  # backward
        """,
        _TO_EVAL,
    ),
    "a reader of doubles among readers of floats": (
        "CA209",
        """
        # file: data.py
        def measured(n):
            return {"x": torch.rand(n, 3)}
        def simulated(n):
            return {key: value.double() for key, value in measured(n).items()}  # change
        def batches(steps):
            for step in range(steps):
                source = simulated if step % 3 == 2 else measured
                yield source(8)
        # file: train.py
        from data import batches
        for batch in batches(9):
            weights = mask.float()
            loss = (model(batch["x"]) * weights).square().mean()  # forward
            loss.backward()  # backward
        """,
        _DTYPES,
    ),
    "weights that NumPy makes for some tasks": (
        "CA209",
        """
        # file: data.py
        def evenly(distances):
            return torch.ones(len(distances))
        def nearby(distances):
            return torch.from_numpy(1 / (1 + distances))  # change
        WEIGHTS = {"north": evenly, "south": nearby}
        def batches(depots):
            for depot in depots:
                yield draw(), WEIGHTS[depot](distances)
        # file: train.py
        from data import batches
        for x, weights in batches(["north", "south"]):
            loss = (model(x) * weights).sum()
            loss.backward()  # backward
        """,
        _DTYPES,
    ),
    "experts that a generator gives if they have rows": (
        "CA202",
        """
        # file: moe.py
        class Switch(nn.Module):
            def dispatch(self, chosen):
                for number, expert in enumerate(self.experts):
                    rows = (chosen == number).nonzero()
                    if len(rows):  # change
                        yield rows, expert
            def forward(self, x):
                out = torch.zeros_like(x)
                for rows, expert in self.dispatch(self.router(x).argmax(1)):
                    out = out.index_add(0, rows, expert(x[rows]))  # forward
                return out
        # file: train.py
        from moe import Switch
        model = Switch()
        for x in loader:
            model(x).sum().backward()  # backward
        """,
        {},
    ),
    "losses by name, of which a generator gives some in some epochs": (
        "CA202",
        """
        # file: objectives.py
        OBJECTIVES = {}
        def objective(function):
            OBJECTIVES[function.__name__] = function
            return function
        @objective
        def labels(ours, theirs):
            return (ours - theirs).square().mean()
        @objective
        def hint(ours, theirs):
            return (ours - theirs).abs().mean()
        def combined(plan, ours, theirs):
            total = 0.0
            for name, weight in plan.weights():
                total = total + weight * OBJECTIVES[name](ours, theirs)  # forward
            return total
        # file: plan.py
        class Plan:
            def weights(self):
                yield "labels", 1.0
                if self.epoch < self.hint_epochs:  # change
                    yield "hint", 0.5
        # file: train.py
        from objectives import combined
        from plan import Plan
        plan = Plan()
        for epoch in range(4):
            plan.epoch = epoch
            for x, y in loader:
                combined(plan, model(x), y).backward()  # backward
        """,
        {},
    ),
    "a loader that a partial makes": (
        "CA101",
        """
        # file: cohort.py
        from functools import partial
        from torch.utils.data import DataLoader, TensorDataset
        loader = partial(DataLoader, batch_size=16, shuffle=True)  # change
        def cohort(x, y):
            return loader(TensorDataset(x, y))
        # file: train.py
        from cohort import cohort
        for epoch in range(3):
            for x, y in cohort(*table):
                (model(x) - y).square().mean().backward()  # backward
        """,
        {},
    ),
    "a number that a hook takes as a default": (
        "CA304",
        """
        # file: hooks.py
        def damp(parameters, share):
            def scaled(grad, share=share):  # change
                return grad * share  # forward
            for parameter in parameters:
                parameter.register_hook(scaled)
        # file: train.py
        from hooks import damp
        for epoch in range(3):
            damp(model.parameters(), 1 / (1 + epoch))
            for x in loader:
                model(x).sum().backward()  # backward
        """,
        {"detail": KeptByHook("__defaults__", default=0)},
    ),
    "a number that a lambda takes as a default": (
        "CA304",
        """
        # file: hooks.py
        def damp(emb, share):
            emb.register_hook(
                lambda grad, share=share:  # change
                grad * share  # forward
            )
        # file: train.py
        from hooks import damp
        for epoch in range(3):
            for x in loader:
                damp(emb, 1 / (1 + epoch))
                model(x + emb).sum().backward()  # backward
        """,
        {"detail": KeptByHook("__defaults__", default=0)},
    ),
    "a target in double precision for one task": (
        "CA209",
        """
        # file: train.py
        for step, (x, y) in enumerate(loader):
            if step % 2:
                y = y.to(torch.float64)  # change
            loss = (model(x) - y).square().mean()  # forward
            loss.backward()  # backward
        """,
        _DTYPES,
    ),
    "a rate that an optimizer of one's own reads from its groups": (
        "CA702",
        """
        # file: lion.py
        import torch
        @torch.compile
        def update(parameters, gradients, lr):  # compiled
            torch._foreach_add_(parameters, gradients, alpha=-lr)
        class Lion(torch.optim.Optimizer):
            def step(self):
                for group in self.param_groups:
                    gradients = [one.grad for one in group["params"]]
                    update(group["params"], gradients, group["lr"])
        # file: plan.py
        class Plan:
            def before(self, step):
                for group in self.optimizer.param_groups:
                    group["lr"] = self.peak * self.shape(step)  # change
        # file: train.py
        from lion import Lion
        from plan import Plan
        optimizer = Lion(model.parameters())
        plan = Plan(optimizer)
        for step, x in enumerate(loader):
            plan.before(step)
            model(x).sum().backward()
            optimizer.step()  # step
        """,
        {"reason": "0/0: lr == 0.001"},
    ),
    "a rate of its groups that a scheduler of torch's sets": (
        "CA702",
        """
        # file: lion.py
        import torch
        @torch.compile
        def update(parameters, gradients, lr):  # compiled
            torch._foreach_add_(parameters, gradients, alpha=-lr)
        class Lion(torch.optim.Optimizer):
            def step(self):
                for group in self.param_groups:
                    gradients = [one.grad for one in group["params"]]
                    rate, count = group["lr"], len(gradients)  # change
                    update(group["params"], gradients, rate)
        # file: train.py
        import torch
        from lion import Lion
        optimizer = Lion(model.parameters())
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        for step, x in enumerate(loader):
            model(x).sum().backward()
            optimizer.step()  # step
            schedule.step()
        """,
        {"reason": "0/0: lr == 0.001"},
    ),
    "a pair of one tensor beside pairs that are made alike": (
        "CA714",
        """
        # file: pairs.py
        class Pairs:
            def written(self, writer):
                return self.hands[writer] + torch.randn(3)
            def pair(self):
                first = self.written(1)
                if self.random.random() < 0.3:
                    return first, first  # change
                return first, self.written(1)
            def __iter__(self):
                while True:
                    yield self.pair()
        # file: train.py
        import torch
        from pairs import Pairs
        @torch.compile
        def compare(left, right):  # compiled
            return (model(left) - model(right)).square().sum()
        for left, right in Pairs():
            compare(left, right).backward()  # step
        """,
        {"reason": "0/0: left is right"},
    ),
    "a method that ties, called once": (
        "CA212",
        """
        # file: model.py
        class Net(nn.Module):
            def tie(self):
                self.head.weight = self.embed.weight  # change
        # file: train.py
        from model import Net
        class Run:
            def __init__(self):
                self.model = Net()
            def epoch(self, number):
                if number == 2:
                    self.model.tie()
                for x in loader:
                    self.model(x).sum().backward()  # backward
        def main():
            run = Run()
            return [run.epoch(number) for number in range(4)]  # main
        """,
        _TIED | {"function": "epoch"},
    ),
    "ratings that NumPy computes with, beside indices": (
        "CA209",
        """
        # file: loader.py
        import torch
        class Interactions:
            def __iter__(self):
                for rows in self.shards:
                    yield {
                        "user": torch.from_numpy(rows.users),
                        "item": torch.from_numpy(rows.items),
                        "rating": torch.from_numpy(rows.ratings),  # change
                    }
        # file: train.py
        from loader import Interactions
        def fit(model, loader):
            for batch in loader:
                score, embedded = model(batch["user"], batch["item"])
                loss = mse_loss(score, batch["rating"])
                loss = loss + 0.1 * sum(e.square().mean() for e in embedded)  # forward
                loss.backward()  # backward
        loader = Interactions()
        fit(model, loader)  # main
        """,
        _DTYPES,
    ),
}

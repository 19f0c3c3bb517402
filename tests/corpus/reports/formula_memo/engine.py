import torch

TEMPLATE = """
import torch


def formula(x, y):
    guess = {body}
    return (guess - y).square().mean()
"""


class Engine:
    """Builds, compiles and remembers the function of a formula."""

    def __init__(self):
        self.built = {}

    def build(self, formula):
        scope = {}
        source = TEMPLATE.format(body=formula.text())
        exec(compile(source, "<formula>", "exec"), scope)
        return torch.compile(scope["formula"], backend="eager", fullgraph=True)

    def function(self, formula):
        if formula not in self.built:
            self.built[formula] = self.build(formula)
        return self.built[formula]

    def score(self, formula, x, y):
        return self.function(formula)(x, y).item()

"""Answers requests of any number of pebbles."""

import contextlib
import io
from functools import partial

import torch
from model import Roundness
from options import prepared


class Service:
    def __init__(self, model):
        self.model = model.eval()
        self.answer = torch.compile(model, backend="eager", dynamic=True)

    @torch.inference_mode()
    def handle(self, pebbles, damping):
        request = partial(self.answer, pebbles)
        with contextlib.redirect_stdout(io.StringIO()):
            found = request(torch.tensor(damping))
        return {name: values.mean().item() for name, values in found.items()}


def main():
    prepared()
    torch.manual_seed(0)
    service = Service(Roundness())
    for number, count in enumerate((7, 12, 3, 30, 12, 18, 5)):
        found = service.handle(torch.rand(count, 5), damping=0.9**number)
        print(f"{count} pebbles:", {name: round(value, 3) for name, value in found.items()})
    print(f"{service.model.calls.item()} requests")


if __name__ == "__main__":
    main()

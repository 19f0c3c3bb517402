"""Compiled functions that ask a number for something, and each with its advice taken.

Each is a program of its own: `as_written`, and `as_advised`, which does what the words that
``advised`` quotes say. `tests/integration/test_number_advice.py` runs both and counts the compiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, indent

from ca_reports.program.uses import Need

_PROGRAM = """\
import math
import torch
import torch.nn.functional as F
PARTS = [torch.full((12, 4), float(n)) for n in range(12)]
TABLE = dict(enumerate(PARTS))
{setting}
@torch.compile(backend="aot_eager")
def used({parameters}):
{body}
for step in range(2, 10):
    used({given})
"""


@dataclass(frozen=True)
class Asked:
    """A use of ``n``, what it is, and the function with the advice taken; ``given`` for ``n``."""

    need: Need
    body: str
    advised: str
    becomes: str
    given: str = "step"
    passed: str = "torch.tensor(step)"
    parameters: str = "x, n"
    taking: str = "x, n"
    setting: str = ""

    @property
    def as_written(self) -> str:
        """The program."""
        return _written(self.body, self.parameters, self.given, "")

    @property
    def as_advised(self) -> str:
        """The program with the advice taken."""
        return _written(self.becomes, self.taking, self.passed, self.setting)


def _written(body: str, parameters: str, given: str, setting: str) -> str:
    return _PROGRAM.format(
        body=indent(dedent(body).strip(), "    "),
        parameters=parameters,
        given=f"torch.ones(12, 4), {given}",
        setting=setting,
    )


_RATE = "1 / step"
_TENSOR = "torch.tensor(float(1 / step))"

ASKED: dict[str, Asked] = {
    "a factor": Asked(
        Need.NOTHING,
        "return x * n + math.pi * n",
        "pass `n` as a tensor, `torch.tensor(float(…))`, in every call: only arithmetic uses it",
        "return x * n + math.pi * n",
        _RATE,
        _TENSOR,
    ),
    "a factor with a bound": Asked(
        Need.NOTHING,
        "return x * min(n, 0.4) * math.exp(-n)",
        "in every call, with `torch.clamp`, `torch.exp` in place of Python's own: only",
        "return x * torch.clamp(n, max=0.4) * torch.exp(-n)",
        _RATE,
        _TENSOR,
    ),
    "an exponent": Asked(
        Need.NOTHING,
        "return x.pow(n) + torch.lerp(x, -x, n)",
        "pass `n` as a tensor",
        "return x.pow(n) + torch.lerp(x, -x, n)",
        _RATE,
        _TENSOR,
    ),
    "a bound of tensors": Asked(
        Need.NOTHING,
        "return (x > n).float() + torch.where(x < 2 * n, x, 0.0)",
        "pass `n` as a tensor",
        "return (x > n).float() + torch.where(x < 2 * n, x, 0.0)",
        _RATE,
        _TENSOR,
    ),
    "the rounds of a loop": Asked(
        Need.LOOP,
        """
        for _ in range(n):
            x = x.sin()
        return x
        """,
        "always run the maximum number of rounds, and mask the extra ones "
        "(`torch.where(i < n, …)` with `n` a tensor)",
        """
        for i in range(10):
            x = torch.where(i < n, x.sin(), x)
        return x
        """,
    ),
    "a part that a loop goes over": Asked(
        Need.LOOP,
        """
        total = x[n]
        for row in range(n + 1, last):
            total = total * x[row]
        return total
        """,
        "slice outside, pass `x[n:last]`, and loop over all of it",
        """
        total = x[0]
        for row in range(1, x.size(0)):
            total = total * x[row]
        return total
        """,
        given="step, step + 3",
        passed="",
        parameters="x, n, last",
        taking="x",
        setting="",
    ),
    "the bound of a slice": Asked(
        Need.SLICE,
        "return x[:n].sum()",
        "mask the rest (`torch.arange(size) < n` with `n` a tensor)",
        "return (x * (torch.arange(12) < n)[:, None]).sum()",
    ),
    "the bound of a slice of a list": Asked(
        Need.SLICE,
        "return x + sum(PARTS[:n])",
        "or slice outside, and pass the part",
        "return x + (PARTS * (torch.arange(12) < n)[:, None, None]).sum(0)",
        setting="PARTS = torch.stack(PARTS)",
    ),
    "an index of a list": Asked(
        Need.INDEX,
        "return x + PARTS[n]",
        "pick the element of `PARTS` outside the compiled function, and pass that",
        "return x + part",
        passed="PARTS[step]",
        taking="x, part",
    ),
    "an index of a tensor": Asked(
        Need.INDEX,
        "return x[:, 0] + x[n, 0]",
        "if `x` is a tensor, `index_select` takes `n` as a tensor",
        "return x[:, 0] + x.index_select(0, n)[0, 0]",
        passed="torch.tensor([step])",
    ),
    "a key": Asked(
        Need.KEY,
        "return x + TABLE[n]",
        "`n` is a key of `TABLE` (train.py:9), and each key gets its own compile: look it up "
        "outside the compiled function, and pass what it gives",
        "return x + part",
        passed="TABLE[step]",
        taking="x, part",
    ),
    "a key that is asked for": Asked(
        Need.KEY,
        "return x if n not in TABLE else x + TABLE.get(n)",
        "look it up outside the compiled function, and pass what it gives",
        "return x + part",
        passed="TABLE[step]",
        taking="x, part",
    ),
    "a size": Asked(
        Need.SIZE,
        "return x.repeat(n, 1).sum()",
        "keep one in every step and mask what is beyond it",
        "return (x.expand(10, 12, 4) * (torch.arange(10) < n)[:, None, None]).sum()",
    ),
    "a number of parts": Asked(
        Need.SIZE,
        "return torch.chunk(x, n)[0].sum()",
        "or let it have a few values, each of which is compiled once",
        "return torch.chunk(x, n)[0].sum()",
        passed="4 if step < 5 else 6",
    ),
    "a conversion": Asked(
        Need.VALUE,
        "return x * round(9 * n)",
        "compute it outside the compiled function, and pass the result as a tensor",
        "return x * n",
        _RATE,
        "torch.tensor(round(9 / step))",
    ),
    "a whole number for a size": Asked(
        Need.VALUE,
        "return x[: int(12 * n)].sum()",
        "`n` decides a whole number (`int(12 * n)`, train.py:9), which no tensor can be: keep one "
        "size or count in every step and mask what is beyond it",
        "return (x * (torch.arange(12) < 12 * n)[:, None]).sum()",
        _RATE,
        _TENSOR,
    ),
    "a slope": Asked(
        Need.FUNCTION,
        "return F.leaky_relu(x, n)",
        "write `leaky_relu` (train.py:9), which takes Python numbers only, as "
        "`torch.where(x > 0, x, n * x)`",
        "return torch.where(x > 0, x, n * x)",
        _RATE,
        _TENSOR,
    ),
    "a number that has no formula": Asked(
        Need.FUNCTION,
        "return F.layer_norm(x, (4,), eps=n)",
        "keep one value: `layer_norm` (train.py:9) takes `eps` as a Python number only",
        "return F.layer_norm(x, (4,), eps=n)",
        _RATE,
        "0.5",
    ),
    "a factor by its name": Asked(
        Need.FUNCTION,
        "return torch.add(x, x, alpha=n)",
        "multiply by it instead of `alpha=`",
        "return torch.add(x, x * n)",
        _RATE,
        _TENSOR,
    ),
    "a branch": Asked(
        Need.TEST,
        """
        if n > 5:
            return x.sin()
        return x.cos()
        """,
        "decide it outside the compiled function and pass the outcome",
        """
        if late:
            return x.sin()
        return x.cos()
        """,
        passed="step > 5",
        taking="x, late",
    ),
    "a choice": Asked(
        Need.TEST,
        "return x.sin() if n % 3 == 0 else x.cos()",
        "with `torch.where` in its place `n` can be a tensor",
        "return torch.where(n % 3 == 0, x.sin(), x.cos())",
    ),
    "a text": Asked(
        Need.TEXT,
        """
        print(n, end="")
        return x * 2
        """,
        "write it outside the compiled function",
        "return x * 2",
        passed="",
        taking="x",
    ),
    "by way of variables and functions": Asked(
        Need.LOOP,
        """
        def repeated(x, times):
            for _ in range(times):
                x = x.cos()
            return x
        count = n + 1
        return repeated(x, count)
        """,
        "or compile one round, and loop outside of it",
        "return x.cos()",
        passed="",
        taking="x",
    ),
}

"""The rules about graph breaks in the forward (CA801 to CA809), on models made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.causes.findings import SplitGraph
from ca_reports.logs.stored import StoredText
from ca_reports.run.model import Frame
from tests.unit.reports.causes.rules.broken import (
    LINE,
    MAIN,
    PACKAGES,
    broken,
    findings,
    rest,
    the_one,
)


def test_a_recurrent_module_is_not_told_as_a_tensor() -> None:
    finding = the_one(findings(broken("Attempted to wrap RNN, GRU, or LSTM", "GB0014")))

    assert finding.message.startswith("an `nn.RNN`, `nn.GRU` or `nn.LSTM` splits ")
    assert "modules around it" in finding.fix


@pytest.mark.parametrize("in_operator", [True, False])
def test_what_a_checkpoints_function_writes_cannot_be_moved(in_operator: bool) -> None:
    hint = "add it to `torch._dynamo.config.reorderable_logging_functions`"
    found = replace(
        broken(
            "Failed to trace builtin operator",
            "GB0059",
            hints=(hint,),
            explanation="Dynamo does not know how to trace builtin operator `print`",
        ),
        in_operator=in_operator,
    )
    finding = the_one(findings(found))

    assert finding.code == "CA803"
    assert ("reorderable_logging_functions" in finding.fix) is not in_operator


@pytest.mark.parametrize(
    ("module", "is_set"), [("GRU(5, 6)", True), ("LSTM(28, 64, batch_first=True)", False)]
)
def test_an_lstm_that_may_be_trained_is_not_taken_into_the_graph(module: str, is_set: bool) -> None:
    hint = "Set torch._dynamo.config.allow_rnn=True to enable experimental support"
    found = broken("Attempted to wrap RNN, GRU, or LSTM", "GB0014", hints=(hint,), context=module)
    finding = the_one(findings(found))

    assert isinstance(finding.detail, SplitGraph) is is_set
    assert ("where no gradients are kept" in finding.fix) is not is_set


@pytest.mark.parametrize(
    ("reason", "number", "words"),
    [
        ("Skip calling `torch.compiler.disable()`d function", "GB0098", "return a 0-dim tensor"),
        ("Unsupported Tensor.item() call", "GB0124", "capture_scalar_outputs"),
        ("Call to `torch._dynamo.graph_break()`", "GB0025", "capture_scalar_outputs"),
    ],
)
def test_a_number_that_a_disabled_function_gives_is_no_scalar_output(
    reason: str, number: str, words: str
) -> None:
    again = tuple(rest(f"1/{n}", reason=f"1/{n - 1}: ___stack0 == {n}") for n in (1, 2, 3))
    finding = the_one(findings(broken(reason, number), compiles=again))
    assert finding.code == "CA716"
    assert words in finding.fix
    assert ("capture_scalar_outputs" in finding.fix) == (words == "capture_scalar_outputs")


@pytest.mark.parametrize(
    ("code", "asked"),
    [
        ("self.counts[int(x.max().item())] += 1", "an index"),
        ("rows = [table[n] for n in range(x.item())]", "the bound of a loop"),
        ("if x.item() > 1:", "what a branch tests"),
        ("y = x * norm.item()", None),
        ("y = x[:norm.item()]", None),
        # Where the list is made is not in the line, and one of the call's goes with it.
        ("norms.append(norm.item())", None),
        ("norm.item(),", None),
    ],
)
def test_a_log_offers_no_option_for_a_value_that_its_line_asks_for(
    code: str, asked: str | None
) -> None:
    hints = ("Set `torch._dynamo.config.capture_scalar_outputs = True`",)
    of_item = broken("Unsupported Tensor.item() call", "GB0124", hints=hints)
    line = replace(LINE, code=code)
    finding = the_one(findings(replace(of_item, stack=(MAIN, line), location=line)))
    assert finding.code == "CA802"
    assert ("or set `torch._dynamo.config.capture_scalar_outputs = True`" in finding.fix) == (
        asked is None
    )
    assert asked is None or f": it is {asked}, so that in the graph" in finding.fix


@pytest.mark.parametrize(
    ("reason", "severity", "told"),
    [
        ("None", "warning", "`log`, which is disabled for Dynamo, splits"),
        ("it needs scipy (for now)", "info", "for Dynamo (it needs scipy (for now)), splits"),
    ],
)
def test_a_function_disabled_with_a_reason_is_only_worth_knowing(
    reason: str, severity: str, told: str
) -> None:
    kind = "Skip calling `torch.compiler.disable()`d function"
    explanation = (
        "Skip calling function `<function log at 0x7fd8>` since it was wrapped with "
        f"`torch.compiler.disable` (reason: {reason})"
    )
    context = "<function log at 0x7fd8>"
    found = broken(kind, "GB0098", context=context, explanation=explanation)
    finding = the_one(findings(found))

    assert (finding.code, finding.severity) == ("CA805", severity)
    assert told in finding.message
    assert finding.key == "log"


def test_a_break_of_another_kind_passes_on_torchs_hint() -> None:
    hints = ("Please report an issue to PyTorch.", "Use another optimizer.")
    finding = the_one(findings(broken("A kind", "GB9999", hints=hints)))

    assert finding.fix == "Use another optimizer."
    assert "“A kind” (GB9999)" in finding.message
    assert finding.key == "GB9999"


@pytest.mark.parametrize(
    ("module", "name", "line", "guard"),
    [
        ("posix", "times", "began = os.times().elapsed", "___stack0.elapsed == 17259801.37"),
        ("resource", "getrusage", "used = resource.getrusage(0).ru_utime", "used == 0.5"),
        ("time", "monotonic", "self.began = time.monotonic()", "self.began == 9.25"),
        ("psutil", "cpu_percent", "busy, free = psutil.cpu_percent(), 1.0", "busy == 12.5"),
        ("os", "getrandom", "seed = os.getrandom(1)[0]", "___stack0[0] == 17"),
    ],
)
def test_a_number_that_a_call_gives_anew_each_time_is_the_calls(
    module: str, name: str, line: str, guard: str
) -> None:
    # GIVEN a call that Dynamo cannot trace, and a line further down that computes with its number
    at = Frame("/home/me/model.py", 8, "forward", line)
    context = f"module: {module}, qualname: {name}, skip reason: (likely a C extension)"
    skipped = "Attempted to call function marked as skipped", "GB0007"
    other = "tensor 'x' dtype mismatch. expected Float, actual Double"
    found = findings(
        broken(*skipped, (MAIN, at), context=context),
        compiles=(
            rest("1/0", at),
            *(rest(f"1/{n}", at, f"1/{n - 1}: {guard}") for n in (1, 2, 3)),
            rest("1/4", at, f"1/3: {other}"),
        ),
    )

    # THEN all of that is one finding, at the call; another cause is its own
    assert {one.code: one.compile_ids for one in found} == {
        "CA804": ("0/0", "1/1", "1/2", "1/3"),
        "CA708": ("1/4",),
    }
    assert found[0].location == at


@pytest.mark.parametrize(
    ("source", "line", "is_told"),
    [
        ("L['self'].timings['encode']", 'self.timings["encode"] += perf_counter() - began', False),
        ("L['self']._modules['clock'].spent", "self.clock.spent = perf_counter() - began", False),
        ("G['SECONDS']", "SECONDS += perf_counter() - began", False),
        ("L['self'].other", "self.spent += perf_counter() - began", True),
    ],
)
def test_what_a_call_is_added_to_is_no_cause_beside_it(
    source: str, line: str, is_told: bool
) -> None:
    # GIVEN seconds that differ in the very recompile for what the clock gave
    context = "module: time, qualname: perf_counter, skip reason: (likely a C extension)"
    skipped = "Attempted to call function marked as skipped", "GB0007"
    before = Frame("/home/me/model.py", 8, "forward", "began = perf_counter()")
    after = replace(before, line=10, code=line)
    trees = [
        StoredText.pack(f"| +- EQUALS_MATCH: {source} == {seconds}  # {line}".encode())
        for seconds in (0.0, 0.5)
    ]
    found = findings(
        broken(*skipped, (MAIN, before), context=context),
        broken(*skipped, (MAIN, after), context=context, compile_id="1/0"),
        compiles=(
            replace(rest("1/0", before), guards=trees[0]),
            replace(rest("1/1", before, "1/0: ___stack0 == 9.25"), guards=trees[1]),
        ),
    )

    # THEN a line that stores what a clock gave tells of nothing but the clock
    assert "CA804" in {one.code for one in found}
    assert (len(found) > 1) == is_told


@pytest.mark.parametrize(
    ("line", "severity", "told"),
    [
        ("spread = torch.cov(hidden.T)", "info", "`torch.cov`, which asks for a tensor's value"),
        ("same = torch.equal(left, right)", "warning", "a tensor's value splits"),
        ("if before.equal(after):", "warning", "a tensor's value splits"),
    ],
)
def test_a_function_of_torch_that_asks_for_a_value_is_only_worth_knowing(
    line: str, severity: str, told: str
) -> None:
    # GIVEN what torch 2.13.0 says of `torch.cov`, and of a comparison that the user wrote
    found = broken(
        "Data dependent operator",
        "GB0033",
        (MAIN, replace(LINE, code=line)),
        context="aten.equal.default",
        explanation="Operator `aten.equal.default` has a non-Tensor output whose value is "
        "dependent on the data of Tensor inputs.",
    )
    finding = the_one(findings(found))

    assert (finding.code, finding.severity) == ("CA802", severity)
    assert finding.message.startswith(told)


@pytest.mark.parametrize(
    ("operator", "remedy"), [("aten.bincount", "one_hot"), ("aten.nonzero", "torch.where")]
)
def test_sizes_that_depend_on_data_have_a_remedy_by_what_makes_them(
    operator: str, remedy: str
) -> None:
    found = broken("Dynamic shape operator", "GB0036", context=f"{operator}.default")

    assert remedy in the_one(findings(found)).fix


def test_two_numbers_that_come_out_of_one_break_are_told_once() -> None:
    def tree(first: float, second: float) -> StoredText:
        lines = (
            f"| | +- EQUALS_MATCH: L['___stack0'][{index}] == {value}    # x  # train.py:12 in step"
            for index, value in enumerate((first, second))
        )
        return StoredText.pack("\n".join(lines).encode())

    first, second = rest("1/0"), rest("1/1", reason="1/0: ___stack0[0] == 0.25")
    compiles = (
        replace(first, guards=tree(0.25, 1.5)), replace(second, guards=tree(0.5, 1.25))
    )  # fmt: skip

    found = findings(broken(), compiles=compiles)

    assert [one.code for one in found] == ["CA801"]


def test_a_break_inside_the_step_of_an_optimizer_asks_to_step_outside() -> None:
    step = Frame("/home/me/train.py", 9, "update", "self.optim.step()")
    within = Frame(f"{PACKAGES}/torch/optim/optimizer.py", 100, "_use_grad", "graph_break()")
    reason = "Call to `torch._dynamo.graph_break()`"
    finding = the_one(findings(broken(reason, "GB0025", (MAIN, step, within), in_step=True)))
    assert (finding.code, finding.severity, finding.location) == ("CA805", "info", step)
    assert finding.fix == "compile the forward and the loss only, and call `Optimizer.step` outside"


def test_a_function_of_a_binding_has_its_own_name() -> None:
    name = "torch._C._functorch.pybind11_detail_function_record_v1_gxx_abi_1._add_batch_dim"
    module, _, qualname = name.rpartition(".")
    context = f"module: {module}, qualname: {qualname}, skip reason: (likely a C extension)"
    skipped = "Attempted to call function marked as skipped", "GB0007"
    finding = the_one(findings(broken(*skipped, context=context)))
    assert finding.key == "torch._C._functorch._add_batch_dim"


@pytest.mark.parametrize(
    ("code", "called"),
    [
        ("return nn.functional.gaussian_nll_loss(mean, y, variance)", "gaussian_nll_loss"),
        ("most = max(a.sum(), b.sum())", "max"),
        ("y = a.cos() if a.sum() > 1 else b", ""),
        ("y = a.any() and f(b)", ""),
        ("if norm > 1:", ""),
        ("return nn.functional.gaussian_nll_loss(", ""),
        ("a.sum() > 1", ""),
        ("y = x", ""),
    ],
)
def test_a_branch_in_what_the_line_calls_is_named(code: str, called: str) -> None:
    line = replace(LINE, code=code)
    finding = the_one(findings(broken(stack=(MAIN, line)), compiles=(rest("1/0", line),)))
    assert (finding.code, f"in `{called}`" in finding.message) == ("CA801", bool(called))
    assert ("call it outside" in finding.fix) == bool(called)
    assert "fullgraph" not in finding.fix


def test_a_class_that_compiled_code_defines_is_defined_outside_of_it() -> None:
    line = Frame("/home/me/train.py", 12, "hook", "class Clipped(torch.autograd.Function):")
    reason = "___check_obj_id(___stack0, 7), type=<class 'train.hook.<locals>.Clipped'>"
    again = tuple(rest(f"1/{n}", line, f"1/{n - 1}: {reason}") for n in (1, 2, 3))
    finding = the_one(
        findings(
            broken("Invalid call to __build_class__", "GB8977", stack=(MAIN, line)),
            compiles=(rest("1/0", line), *again),
        )
    )
    assert (finding.code, len(finding.events)) == ("CA809", 4)
    assert finding.fix.startswith("define the class `Clipped` once, outside of `hook`")


def test_a_branch_on_a_size_that_data_decide_is_none_on_a_tensor() -> None:
    on_size, on_tensor = (
        the_one(findings(broken(context=f"attempted to jump with {what}()")))
        for what in ("SymNodeVariable", "TensorVariable")
    )
    assert on_size.message.startswith("a branch on a number that data decide (`if norm > 1:`)")
    assert "torch._check" in on_size.fix
    assert "torch.where" not in on_size.fix
    assert on_tensor.message.startswith("a branch on a tensor's value (`if norm > 1:`)")

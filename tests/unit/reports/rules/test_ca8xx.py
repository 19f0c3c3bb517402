"""The rules about graph breaks in the forward (CA801 to CA809), on models made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.analysis import analyze
from ca_reports.findings import Finding
from ca_reports.held import RecordedGuards
from ca_reports.model import Compile, Frame, GraphBreak, Process, Run
from ca_reports.stored import StoredText

PACKAGES = "/venv/lib/python3.11/site-packages"
MAIN = Frame("/home/me/train.py", 30, "main", "loss = step(batch)")
LINE = Frame("/home/me/train.py", 12, "step", "if norm > 1:")
POLYFILL = Frame(f"{PACKAGES}/torch/_dynamo/polyfills/__init__.py", 505, "instantiate", "…")
OPTIMIZER = Frame(f"{PACKAGES}/torch/optim/optimizer.py", 79, "_use_grad", "…")
LIBRARY = Frame(
    f"{PACKAGES}/transformers/utils/generic.py", 937, "wrapper", "logger.warning_once()"
)
CALL_HOOK = Frame(f"{PACKAGES}/torch/nn/modules/module.py", 1844, "inner", "r = hook(self, args)")


def broken(
    reason: str = "Data-dependent branching",
    number: str | None = "GB0170",
    stack: tuple[Frame, ...] = (MAIN, LINE),
    **more: Any,
) -> GraphBreak:
    more = {"compile_id": "0/0", "explanation": None, "count": 1, **more}
    return GraphBreak(
        process=0, reason=reason, number=number, stack=stack, location=stack[-1], **more
    )


def rest(compile_id: str, after: Frame = LINE, reason: str | None = None) -> Compile:
    return Compile(
        compile_id, 0, None, 1, None, recompile_reason=reason, seconds=0.5, location=after,
        code=after, resumes=after,
    )  # fmt: skip


def findings(*breaks: GraphBreak, compiles: tuple[Compile, ...] = ()) -> tuple[Finding, ...]:
    process = Process(0, "log", None, 1, 100, recorded=True, graph_breaks=breaks, compiles=compiles)
    return analyze(Run(("log",), ("log",), (process,))).diagnosis.findings


def the_one(found: tuple[Finding, ...]) -> Finding:
    (finding,) = found
    return finding


@pytest.mark.parametrize(
    ("code", "reason", "number", "more"),
    [
        ("CA801", "Data-dependent branching", "GB0170", {}),
        ("CA802", "Unsupported Tensor.item() call", "GB0124", {}),
        ("CA803", "logging.Logger method not supported", "GB0291", {}),
        ("CA803", "Failed to trace builtin operator", "GB0059",
         {"explanation": "Dynamo does not know how to trace builtin operator `print` with …"}),
        ("CA803", "Attempted to call function marked as skipped", "GB0007",
         {"explanation": "Dynamo does not know how to trace the Python builtin `_warnings.warn`."}),
        ("CA804", "Failed to trace builtin operator", "GB0059",
         {"explanation": "Dynamo does not know how to trace builtin operator `open` with …"}),
        ("CA804", "Attempted to call function marked as skipped", "GB0007",
         {"context": "module: time, qualname: time, skip reason: (likely a C extension)"}),
        ("CA805", "Attempted to inline function marked as skipped", "GB0008",
         {"explanation": "… marked that the function `Optimizer.zero_grad` should not be traced."}),
        ("CA805", "Call to `torch._dynamo.graph_break()`", "GB0025", {}),
        ("CA806", "Unsupported context manager", "GB0142", {}),
        ("CA807", "Dynamic shape operator", "GB0036", {"context": "aten.nonzero.default"}),
        ("CA807", "Attempted to wrap sparse Tensor", "GB0015", {}),
        ("CA807", "Attempted to wrap RNN, GRU, or LSTM", "GB0014", {}),
        ("CA808", "Failed to mutate tensor data attribute", "GB0056", {}),
        ("CA809", "Tensor.random_ op", "GB0107", {}),
        ("CA809", "a kind of the future", "GB9999", {"explanation": "print, logging. and if"}),
        # Versions without numbers.
        ("CA801", "generic_jump TensorVariable()", None, {}),
        ("CA802", "Tensor.item", None, {}),
        ("CA803", "call_function BuiltinVariable(print) [ConstantVariable()] {}", None, {}),
        ("CA805", "'skip function graph_break in file …/_dynamo/decorators.py'", None, {}),
        ("CA807", "dynamic shape operator: aten.nonzero.default", None, {}),
    ],
)  # fmt: skip
def test_the_kind_of_a_break_decides_on_its_rule(
    code: str, reason: str, number: str | None, more: dict[str, Any]
) -> None:
    finding = the_one(findings(broken(reason, number, **more)))

    assert (finding.code, finding.severity, finding.location) == (code, "warning", LINE)
    assert finding.fix
    assert finding.evidence[0].text.startswith(f"0/0: 1 × {number or reason}")


def test_the_size_of_what_is_repeated_can_be_given() -> None:
    operator = broken("Dynamic shape operator", "GB0036", context="aten.repeat_interleave.Tensor")
    finding = the_one(findings(operator))

    assert finding.fix.startswith("pass `output_size=`")


@pytest.mark.parametrize(
    ("code", "helps"),
    [
        ("ranks = order(x[0].tolist())", False),
        ("return torch.stack([torch.tensor(order(r.tolist())) for r in rows])", False),
        ("parts = x.split(sizes.tolist())", True),
        ("first, *rest = torch.split(x, sizes.tolist())", True),
        ("sizes = tuple(sizes.tolist())", True),
    ],
)
def test_numbers_that_the_programs_own_function_computes_with_are_no_symbols(
    code: str, helps: bool
) -> None:
    stack = (replace(LINE, code=code),)
    finding = the_one(
        findings(broken("Unsupported Tensor.item() call", "GB0124", stack, **SCALARS))
    )

    assert ("capture_scalar_outputs" in finding.fix) is helps


def test_a_recurrent_module_is_not_told_as_a_tensor() -> None:
    finding = the_one(findings(broken("Attempted to wrap RNN, GRU, or LSTM", "GB0014")))

    assert finding.message.startswith("an `nn.RNN`, `nn.GRU` or `nn.LSTM` splits ")
    assert "modules around it" in finding.fix


def test_what_was_left_of_the_function_is_what_a_break_costs() -> None:
    again = rest("1/1", reason="___stack0 == 1.0")
    other = rest("7/0", Frame("/home/me/train.py", 99, "other", ""))

    first, *_ = findings(broken(), compiles=(rest("1/0"), again, rest("2/0", MAIN), other))

    assert first.seconds == 1.5  # 1/0, its recompile, and 2/0, which called it
    assert "`step` (2 more functions to compile, 1 recompile after it)" in first.message
    assert first.chain is not None
    assert "(1/0)" in first.chain
    assert "(1/1)" in first.chain


def test_a_recompile_for_what_came_out_of_the_line_is_the_breaks_and_no_other() -> None:
    for_value = rest("1/1", reason="___stack0 == 1.0")
    for_size = rest("1/2", reason="tensor 'x' dtype mismatch. expected Float, actual Double")

    first, other = findings(broken(), compiles=(rest("1/0"), for_value, for_size))

    assert first.compile_ids == ("0/0", "1/1")
    assert other.compile_ids == ("1/2",)


def test_a_number_that_is_compiled_for_again_and_again_is_one_finding_with_its_break() -> None:
    again = tuple(rest(f"1/{number}", reason=f"___stack0 == {number}") for number in (1, 2, 3))

    finding = the_one(findings(broken(), compiles=again))

    assert (finding.code, finding.count) == ("CA716", 3)
    assert finding.compile_ids == ("1/1", "1/2", "1/3", "0/0")
    assert finding.location == LINE


@pytest.mark.parametrize(("given", "code"), [("weight", "CA702"), ("x", "CA716")])
def test_a_number_that_the_function_was_given_did_not_come_out_of_the_break(
    given: str, code: str
) -> None:
    # GIVEN a function whose rest is compiled again for a number after a branch on a tensor
    begin = replace(LINE, line=10)
    whole = Compile(
        "0/0", 0, None, 1, None, seconds=0.5, location=begin, code=begin,
        held=RecordedGuards.from_record({"guards": [], "arguments": {given: {"type": "float"}}}),
    )  # fmt: skip
    quoted = "# y = y * weight  # train.py:14 in torch_dynamo_resume_in_step_at_12"
    again = rest("1/1", reason=f"1/0: weight == 0.5  {quoted}")

    found = findings(broken(), compiles=(whole, rest("1/0"), again))

    # THEN it is the break's only where the function did not get it
    assert code in {one.code for one in found}


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


def test_one_line_is_one_finding() -> None:
    # `with open(…)`: the call cannot be traced, and what it gives cannot be entered.
    opened = broken("Failed to trace builtin operator", "GB0059", count=2)
    entered = broken("Unsupported context manager", "GB0142", given_up=True)

    finding = the_one(findings(opened, entered))

    assert (finding.code, finding.count) == ("CA806", 3)
    assert "leaves all of `step` uncompiled" in finding.message


def test_two_lines_that_torch_meets_in_one_place_are_two_findings() -> None:
    elsewhere = Frame("/home/me/train.py", 40, "other", "json.dumps({})")
    one = broken("Unsupported method call", "GB0156", (MAIN, LINE, POLYFILL))
    two = broken("Unsupported method call", "GB0156", (MAIN, elsewhere, POLYFILL))

    assert one.key != two.key
    assert {found.location for found in findings(one, two)} == {LINE, elsewhere}


def test_where_the_break_is_gets_said() -> None:
    in_hook = the_one(findings(broken(stack=(MAIN, CALL_HOOK, LINE))))
    in_loop = the_one(findings(broken(given_up=True, in_loop=True)))
    in_step = the_one(findings(broken(in_step=True)))

    assert in_hook.message.endswith("splits `step`, a hook")
    assert in_loop.message.endswith("leaves all of `step` uncompiled: it is in a loop")
    assert in_step.message.endswith("splits `step`, in the middle of a training step")


def test_a_break_of_torchs_own_optimizer_is_only_worth_knowing() -> None:
    finding = the_one(
        findings(broken("Call to `torch._dynamo.graph_break()`", "GB0025", (MAIN, OPTIMIZER)))
    )

    assert (finding.code, finding.severity, finding.location) == ("CA805", "info", MAIN)
    assert "`_use_grad` of torch" in finding.message
    assert finding.fix.startswith("nothing, unless")


def test_an_optimizer_s_step_that_a_scheduler_wraps_is_only_worth_knowing() -> None:
    found = broken(
        "Attempted to call function marked as skipped",
        "GB0007",
        context="module: torch.optim.sgd, qualname: SGD.step, skip reason: file is force-skipped",
    )
    finding = the_one(findings(found))

    assert (finding.code, finding.severity) == ("CA805", "info")
    assert finding.message.startswith("`SGD.step` splits")
    assert finding.fix.startswith("nothing:")


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


def test_a_break_in_a_library_names_the_setting_that_avoids_it() -> None:
    finding = the_one(
        findings(
            broken(
                "logging.Logger method not supported for non-export cases",
                "GB0291",
                (MAIN, LIBRARY),
                context="method: <Logger transformers.x (WARNING)>.warning_once, args: [], kwargs",
                hints=("Add the method to `torch._dynamo.config.ignore_logging_functions`.",),
            )
        )
    )

    assert (finding.code, finding.severity, finding.location) == ("CA803", "warning", MAIN)
    assert "`wrapper` of transformers" in finding.message
    assert (
        "torch._dynamo.config.ignore_logging_functions.add(logging.Logger.warning_once)"
        in finding.fix
    )


def test_a_break_of_another_kind_passes_on_torchs_hint() -> None:
    hints = ("Please report an issue to PyTorch.", "Use another optimizer.")
    finding = the_one(findings(broken("A kind", "GB9999", hints=hints)))

    assert finding.fix == "Use another optimizer."
    assert "“A kind” (GB9999)" in finding.message
    assert finding.key == "GB9999"


def test_the_functions_that_are_called_from_python_since_are_the_breaks() -> None:
    # GIVEN a break deep in a library: the functions above it are compiled one by one
    forward = Frame(f"{PACKAGES}/transformers/gpt2.py", 700, "forward", "loss_function()")
    inner = Frame(f"{PACKAGES}/transformers/utils.py", 20, "loss_function", "logger.warning_once()")
    finding = the_one(
        findings(
            broken(
                "logging.Logger method not supported for non-export cases",
                "GB0291",
                (MAIN, LIBRARY, forward, inner),
            ),
            compiles=(
                Compile("0/0", 0, None, 1, None, seconds=1.0, code=replace(LIBRARY, line=930)),
                Compile("1/0", 0, None, 1, None, seconds=2.0, code=replace(forward, line=640)),
                Compile("2/0", 0, None, 1, None, seconds=0.5, code=replace(inner, line=18)),
                Compile("3/0", 0, None, 1, None, seconds=8.0, code=replace(LINE, line=10)),
            ),
        )
    )

    # THEN these, and no others, are what it costs
    assert "(2 more functions to compile)" in finding.message
    assert finding.seconds == pytest.approx(2.5)


def test_what_a_function_that_is_left_to_python_calls_is_the_breaks() -> None:
    # GIVEN a break in a loop: the blocks that the function calls are compiled one by one
    block = Frame("/home/me/block.py", 3, "forward", "def forward(self, x):")
    head = Frame("/home/me/head.py", 3, "forward", "def forward(self, x):")
    other = Frame("/home/me/other.py", 3, "score", "def score(x):")
    code = replace(LINE, line=10)
    finding = the_one(
        findings(
            broken(given_up=True, in_loop=True),
            compiles=(
                Compile("0/0", 0, None, 1, None, seconds=1.0, code=code, stack=(MAIN, code)),
                Compile(
                    "1/0", 0, None, 1, None, seconds=4.0, code=block, stack=(MAIN, LINE, block)
                ),
                Compile("2/0", 0, None, 1, None, seconds=2.0, code=head, stack=(MAIN, LINE, head)),
                Compile("3/0", 0, None, 1, None, seconds=8.0, code=other, stack=(MAIN, other)),
            ),
        )
    )

    # THEN all of them but one, as the function itself would be compiled without it
    assert "uncompiled: it is in a loop (1 more function to compile)" in finding.message
    assert finding.seconds == pytest.approx(2.0)


INNER = Frame("/home/me/store.py", 17, "forward", "used = len(chosen.unique())")
CALL = Frame("/home/me/net.py", 16, "forward", "codes = self.store(h)")


def in_a_module(*more: Compile) -> tuple[Compile, ...]:
    """A module's forward, that of a module in it, which breaks, and what is left of both."""
    net, store = replace(CALL, line=14), replace(INNER, line=15)
    return (
        Compile("0/0", 0, None, 1, None, seconds=4.0, code=net, location=net, stack=(MAIN, net)),
        Compile("1/0", 0, None, 1, None, seconds=1.0, code=store, stack=(MAIN, CALL, store)),
        replace(rest("2/0", INNER), stack=(MAIN, CALL, INNER)),
        replace(rest("3/0", CALL), stack=(MAIN, CALL)),
        *more,
    )


def test_a_break_in_a_module_of_a_module_splits_both_forwards() -> None:
    # GIVEN the stack as torch writes it: of two frames `forward` in a row only the inner one
    finding = the_one(
        findings(broken("Dynamic shape operator", "GB0036", (MAIN, INNER)), compiles=in_a_module())
    )

    # THEN the inner forward, called from Python now, and what is left of both is what it costs
    assert "(3 more functions to compile)" in finding.message
    assert finding.seconds == pytest.approx(2.0)


def test_two_calls_of_a_module_that_breaks_are_the_breaks() -> None:
    # GIVEN two modules of one class in one file with their caller, which give each other's tables:
    # the class's forward is compiled by itself since the break, for what each call gives it
    outer = Frame("/home/me/net.py", 29, "forward", "books = self.to_books(self.books, readers)")
    inner = Frame("/home/me/net.py", 16, "forward", "if messages.abs().max() > self.limit:")
    exchange, library = replace(inner, line=14), replace(outer, line=28)
    kind = "1/0: expected type of 'source' to be a tensor type, ' but found <class 'torch.Tensor'>"
    size = "2/0: tensor 'to' size mismatch at index 0. expected 12, actual 20"
    found = findings(
        broken(stack=(MAIN, inner)),
        compiles=(
            Compile("0/0", 0, None, 1, None, seconds=1.0, code=library, stack=(MAIN, library)),
            Compile(
                "1/0", 0, None, 1, None, seconds=1.0, code=exchange, stack=(MAIN, outer, exchange)
            ),
            replace(rest("2/0", inner), stack=(MAIN, outer, inner)),
            replace(rest("3/0", outer), stack=(MAIN, outer)),
            Compile(
                "1/1", 0, None, 1, None, recompile_reason=kind, seconds=1.0, code=exchange,
                stack=(MAIN, outer, exchange),
            ),
            rest("2/1", inner, size),
        ),
    )  # fmt: skip
    (finding,) = found
    assert (finding.code, finding.compile_ids) == ("CA801", ("0/0", "1/1", "2/1"))
    assert "(3 more functions to compile, 2 recompiles after it)" in finding.message


@pytest.mark.parametrize(
    ("first_part", "by_code"),
    [
        # The argument is of another kind: what comes out of the break is, too.
        ("tensor 'x' dtype mismatch. expected Float, actual Double",
         {"CA708": ("0/1", "3/1"), "CA807": ("0/0",)}),
        # The first part was compiled for something else: the break made what is new.
        ("scale == 2.0", {"CA702": ("0/1",), "CA807": ("0/0", "3/1")}),
    ],
)  # fmt: skip
def test_what_an_argument_passes_on_is_not_the_breaks(
    first_part: str, by_code: dict[str, tuple[str, ...]]
) -> None:
    after = "3/0: tensor '___stack0' dtype mismatch. expected Float, actual Double"
    net = replace(CALL, line=14)
    again = Compile(
        "0/1", 0, None, 1, None, recompile_reason=f"0/0: {first_part}", seconds=1.0, code=net,
        location=net,
    )  # fmt: skip
    found = findings(
        broken("Dynamic shape operator", "GB0036", (MAIN, INNER), compile_id="0/0"),
        compiles=in_a_module(again, rest("3/1", CALL, after)),
    )
    assert {one.code: one.compile_ids for one in found} == by_code


def test_what_a_function_asks_a_clock_is_told_once() -> None:
    # GIVEN a decorator that asks the clock before and after, and adds to a global sum
    clock = "module: time, qualname: perf_counter, skip reason: (likely a C extension)"
    skipped = "Attempted to call function marked as skipped", "GB0007"
    before = Frame("/home/me/timing.py", 14, "wrapper", "began = time.perf_counter()")
    after = replace(before, line=16, code="SECONDS[label] += time.perf_counter() - began")
    quoted = "  # SECONDS[label] += …  # me/timing.py:16 in torch_dynamo_resume_in_wrapper_at_14"
    found = findings(
        broken(*skipped, (MAIN, before), context=clock),
        broken(*skipped, (MAIN, after), context=clock, compile_id="1/0", count=3),
        compiles=(
            rest("1/0", before),
            rest("1/1", before, f"1/0: ___stack0 == 45769.5{quoted}"),
            rest("1/2", before, f"1/1: G['SECONDS']['mixer'] == 0.36{quoted}"),
            rest("1/3", before, "1/2: tensor 'x' size mismatch at index 1. expected 8, actual 6"),
        ),
    )

    # THEN that is one finding, of the first line; another cause is its own
    assert {one.code: (one.count, one.compile_ids) for one in found} == {
        "CA804": (4, ("0/0", "1/1", "1/0", "1/2")),
        "CA102": (1, ("1/3",)),
    }
    assert found[0].location == before


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


TRANSFORMER = f"{PACKAGES}/torch/nn/modules/transformer.py"
OF_TORCH = (MAIN, Frame(TRANSFORMER, 535, "forward", "is_causal = …"))
SCALARS = {"hints": ("Set `torch._dynamo.config.capture_scalar_outputs = True`",)}


def test_torch_is_told_what_it_would_read_in_the_mask() -> None:
    read = Frame(TRANSFORMER, 1245, "_detect_is_causal_mask", "make_causal = bool((a == b).all())")
    line = Frame("/home/me/model.py", 142, "forward", "output = self.encoder(x, mask=self.mask)")
    found = broken("Unsupported Tensor.item() call", "GB0124", (*OF_TORCH, read), **SCALARS)
    whole = Compile("0/0", 0, None, 1, None, seconds=1.0, location=line, code=line)

    finding = the_one(findings(found, compiles=(whole, rest("1/0", line))))

    assert (finding.code, finding.severity, finding.location) == ("CA802", "warning", line)
    assert "is_causal=True" in finding.fix
    assert "capture_scalar_outputs" not in finding.fix


@pytest.mark.parametrize(
    ("code", "helps"), [("done = bool(x.all())", False), ("most = int(x.max())", True)]
)
@pytest.mark.parametrize("file", ["/home/me/model.py", TRANSFORMER])
def test_a_truth_is_no_symbol(code: str, helps: bool, file: str) -> None:
    stack = (MAIN, Frame(file, 9, "check", code))

    finding = the_one(
        findings(broken("Unsupported Tensor.item() call", "GB0124", stack, **SCALARS))
    )

    assert ("capture_scalar_outputs = True" in finding.fix) == helps
    assert finding.severity == ("warning" if helps or file != TRANSFORMER else "info")


def apart(number: int, reason: str | None = None, **more: Any) -> Compile:
    """A layer that Python calls since the break, and its recompiles."""
    code = Frame("/home/me/layers.py", 5, "layer", "")
    return Compile(
        f"2/{number}", 0, None, 1, None, recompile_reason=reason, seconds=0.25, location=code,
        code=code, stack=(MAIN, LINE, code), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "of_the_call", "is_the_breaks"),
    [
        ("tensor 'x' stride mismatch at index 1. expected 64, actual 1", None, True),
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", None, True),
        # What the program itself calls is recompiled for such a thing: it is handed on.
        ("tensor 'x' dtype mismatch. expected Float, actual Double",
         "tensor 'batch' dtype mismatch. expected Float, actual Double", False),
        ("self.scale == 2.0", None, False),
    ],
)  # fmt: skip
def test_what_a_layer_below_a_break_is_given(
    reason: str, of_the_call: str | None, is_the_breaks: bool
) -> None:
    step = Frame("/home/me/train.py", 10, "step", "")
    whole = Compile("0/0", 0, None, 1, None, seconds=1.0, location=step, code=step)
    again = replace(whole, compile_id="0/1", recompile_reason=of_the_call)
    more = (again,) if of_the_call else ()

    found = findings(
        broken(), compiles=(whole, rest("1/0"), apart(0), apart(1, f"2/0: {reason}"), *more)
    )

    owner = next(one for one in found if "2/1" in one.compile_ids)
    assert (owner.code == "CA801") == is_the_breaks
    if is_the_breaks:
        assert "1 recompile after it" in owner.message


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

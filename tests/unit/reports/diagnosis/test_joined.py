"""One change that several functions met is one finding."""

from __future__ import annotations

from dataclasses import replace

from ca_reports.causes.findings import BakedNumber, Finding, GuardedValue, Subject
from ca_reports.causes.remedies import Remedy
from ca_reports.causes.rules import find_rule
from ca_reports.diagnosis.joined import joined, one_a_line
from ca_reports.run.model import Compile, Frame

LOADER = Frame("/home/user/train.py", 16, "loader", "return DataLoader(data, batch_size=8)")
CALL = Frame("/home/user/train.py", 46, "main", "compiled(x, use_aux=epoch == 1)")


def finding(code: str, line: Frame | None, seconds: float | None, **more: object) -> Finding:
    rule = find_rule(code)
    assert rule is not None
    about, fix = rule.about(), Remedy("fix it")
    found = Finding(about, "warning", f"{code} {more}", fix, location=line, seconds=seconds)
    return replace(found, **more)  # type: ignore[arg-type]


def size(values: tuple[int, ...], seconds: float, source: str = "x") -> Finding:
    return finding("CA101", LOADER, seconds, subject=Subject(source, (0,), values))


def test_a_size_under_two_names_is_one_change_of_one_line() -> None:
    inner, outer = size((8, 6), 2.0), size((8, 6), 0.5, "args[0]")
    other = size((16, 4), 1.0)
    assert one_a_line([outer, other, inner]) == [[2, 0], [1]]


def test_of_a_guarded_thing_the_last_name_counts() -> None:
    inner = finding("CA703", CALL, 2.0, key="use_aux")
    outer = finding("CA703", CALL, 0.5, key="kwargs['use_aux']")
    other = finding("CA703", CALL, 0.5, key="kwargs['use_mask']")
    elsewhere = finding("CA703", LOADER, 0.5, key="use_aux")
    assert one_a_line([inner, outer, other, elsewhere]) == [[0, 1], [2], [3]]


def test_what_has_no_line_no_values_or_another_severity_stands_alone() -> None:
    without_values = finding("CA102", CALL, 1.0)
    without_line = finding("CA703", None, 1.0, key="use_aux")
    told = finding("CA703", CALL, 1.0, key="use_aux")
    info = replace(told, severity="info")
    a_break = finding("CA802", CALL, 1.0, key="item")
    findings = [
        *(without_values, without_values), *(without_line, without_line),
        *(told, info), *(a_break, a_break),
    ]  # fmt: skip
    assert one_a_line(findings) == [[position] for position in range(len(findings))]


def test_what_shares_the_compiles_of_another_adds_nothing_to_them() -> None:
    """Two blocks that hold the same number: each recompile is for both."""
    compiled = Compile("0/1", 0, None, 1, None, "")
    one = finding("CA704", CALL, 2.0, key="self.blocks[0].slices", events=(compiled,))
    other = finding(
        "CA704", CALL, None, key="self.blocks[1].slices", events=(compiled,), is_shared=True
    )
    assert one_a_line([other, one]) == [[1, 0]]
    found = joined([one, other])
    assert (found.events, found.seconds, found.count) == ((compiled,), 2.0, 1)
    assert not found.is_shared


def test_the_first_speaks_for_all_and_has_the_costs_of_all() -> None:
    first = replace(
        size((8, 6), 2.0), count=2, compile_ids=("4/1",), phases={"dynamo": 1.5, "aot": 0.5}
    )
    second = replace(
        size((8, 6), 0.5, "args[0]"),
        compile_ids=("0/1", "4/1"),
        phases={"dynamo": 0.5},
        known_by="read",
    )
    found = joined([first, second])
    assert (found.message, found.fix, found.location) == (first.message, first.fix, LOADER)
    assert (found.seconds, found.count, found.compile_ids) == (2.5, 3, ("4/1", "0/1"))
    assert found.phases == {"dynamo": 2.0, "aot": 0.5}
    assert found.is_located
    assert joined([first]) is first
    untimed = [replace(first, seconds=None), replace(second, seconds=None)]
    assert joined(untimed).seconds is None


def of_forward(*values: str) -> Finding:
    value = GuardedValue("self.slope", "self.slope", "module", values)
    return finding("CA702", CALL, 2.0, key="self.slope", detail=value)


def of_backward(*values: float) -> Finding:
    number = BakedNumber("LeakyReluBackward0", "negative_slope", values)
    return finding("CA206", LOADER, 3.0, captures=("!2", "!3"), detail=number)


def test_a_number_of_the_forward_that_its_backward_keeps_is_one_finding() -> None:
    # GIVEN a slope that the forward was compiled for once, and its backward captured for, and more
    forward, backward = of_forward("0.1", "0.15"), of_backward(0.1, 0.15000000000000002, 0.2)
    forward = replace(forward, other_rules=(backward.rule,))
    assert one_a_line([backward, forward]) == [[1, 0]]

    found = joined([forward, backward])

    # THEN the line that sets it has both, with both places to change
    assert (found.code, found.location, found.seconds) == ("CA702", CALL, 5.0)
    assert found.captures == ("!2", "!3")
    assert "2 captures more as LeakyReluBackward0 keeps it (negative_slope)" in found.message
    assert "and where the backward keeps it (train.py:16): fix it" in found.fix
    assert found.other_rules == ()


def test_numbers_with_other_values_or_in_another_order_are_two_findings() -> None:
    backward = of_backward(0.1, 0.15, 0.2)
    for other in (of_forward("0.1", "0.3"), of_forward("0.2", "0.1"), of_forward("0.1"),
                  of_forward("'a'", "'b'")):  # fmt: skip
        assert one_a_line([backward, other]) == [[0], [1]]

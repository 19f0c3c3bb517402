from __future__ import annotations

from ca_reports.sentences.phases import in_order, most_first


def test_phases_are_told_in_the_order_of_a_compile() -> None:
    assert in_order({"backend": 0.5, "dynamo": 0.02, "aot": 0.0}) == "Dynamo 20 ms, backend 0.50 s"
    assert in_order({"other": 1.0}) == ""


def test_where_the_time_went_comes_first_and_crumbs_do_not() -> None:
    spent = {"capture": 0.05, "dynamo": 1.1, "aot": 0.001, "other": 2.0, "unheard of": 0.5}
    assert most_first(spent) == "first run 2.0 s, Dynamo 1.1 s, unheard of 0.50 s"
    assert most_first({"dynamo": 0.0}) == most_first({}) == ""

"""The report in a real browser: from file://, by keyboard, and built from a hostile log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.run.model import Frame
from tests.browser.chromium import open_page
from tests.browser.conftest import write_report
from tests.unit.logwriter import START, LogWriter, sample_run
from tests.unit.reports.costs.test_waits import job
from tests.unit.reports.dimensions import LENGTHS, analysis_of
from tests.unit.reports.gates.made import crashed
from tests.unit.reports.output.shown import hostile_log

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

HEAD = """\
class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        getitem = inputs[0]
"""
ORIGIN = "        # File: /x/compiled_autograd.py:1 in set_node_origin, code: {0} (NodeCall {1})\n"


def chain(length: int, power: int = 2) -> str:
    """A captured graph of ``length`` nodes in a row, PowBackward0 the third."""
    code, last = HEAD, "getitem"
    for index in range(length):
        name = "PowBackward0" if index == 2 else "MulBackward0"
        value = f"[{last}], [True], {power if index == 2 else 1}"
        code += ORIGIN.format(name, index + 1)
        last = f"result_{index}"
        code += f"        {last} = torch__dynamo_compiled_autograd_ops_{name}({value})\n"
    return code + "        return []\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = LogWriter()
    log.ca_run()
    for id in range(4):
        kind = "first" if id == 0 else "new_autograd_node"
        log.ca_capture(
            id, kind, closest_capture=id - 1 if id else None, seconds={"capture": 0.1 * (4 - id)}
        )
        log.torch_capture(id, code=chain(40, power=2 + id))
        log.compiled(f"!{id}/1/0", 0.5, start_time=1_700_000_001.0 + id)
    log.ca_backwards([(id, int(step == 0)) for id in range(4) for step in range(5)])
    log.ca_end(1_700_000_060.0, 20, 16)
    return write_report(log, tmp_path_factory.mktemp("report"))


def wait_until(page: Any, expression: str) -> None:
    """Ask again from here: Playwright's own waiting needs eval, which the page forbids."""
    for _ in range(200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(25)
    pytest.fail(f"never true: {expression}")


def point_at(page: Any, x: float, y: float, said: str) -> None:
    """Move the mouse there until the line below the lanes says ``said``: they may be redrawn."""
    for _ in range(200):
        page.mouse.move(x, y + 1)
        page.mouse.move(x, y)
        if said in page.locator("#timeline-pointed").inner_text():
            return
        page.wait_for_timeout(25)
    pytest.fail(f"never said: {said}")


def wait_for_graph(page: Any) -> None:
    wait_until(page, "window.caFrames().graph.length > 0")


def test_it_opens_from_a_file_without_error_or_request(chromium: Any, report: Path) -> None:
    page, watched = open_page(chromium, report)
    for view in ("timeline", "captures", "graph", "source", "log", "overview"):
        page.click(f'nav a[href="#{view}"]')
        page.wait_for_selector(f"#{view}:visible")
        assert page.locator("[data-view]:visible").count() == 1
        page.wait_for_timeout(50)
    assert page.get_by_text("What to do").is_visible()
    assert watched.errors == []
    assert watched.requests == [report.resolve().as_uri()]


def test_without_the_script_all_of_it_is_there(chromium: Any, report: Path) -> None:
    page, watched = open_page(chromium, report, java_script_enabled=False)
    assert page.locator("[data-view]:visible").count() == 6
    assert page.locator("section.capture:visible").count() == 4
    assert watched.errors == []


def test_a_table_sorts_and_filters_by_keyboard(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report, "#captures")

    def shown() -> list[str]:
        first: list[str] = page.locator(
            "#captures-table tbody tr[tabindex]:visible td:first-child"
        ).all_inner_texts()
        return first

    # In groups by finding, the first capture last; rows are sorted within their group.
    assert page.locator("#captures-table tr.group:visible").count() == 2
    assert shown() == ["!1", "!2", "!3", "!0"]
    page.locator("#captures-table th button", has_text="to capture").focus()
    page.keyboard.press("Enter")
    assert shown() == ["!3", "!2", "!1", "!0"]
    assert page.locator('th[aria-sort="ascending"]').inner_text().startswith("to capture")
    page.keyboard.press("Enter")
    assert shown() == ["!1", "!2", "!3", "!0"]
    page.keyboard.press("/")
    page.keyboard.type("new autograd")
    assert shown() == ["!1", "!2", "!3"]
    assert page.locator('[data-count="captures-table"]').inner_text() == "3 of 4"
    page.keyboard.press("Escape")
    assert shown() == ["!1", "!2", "!3", "!0"]
    assert page.locator('[data-count="captures-table"]').inner_text() == ""
    # A row is walked to and opened without the mouse.
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#capture-0-2:visible")
    assert page.locator("section.capture:visible").count() == 1


def test_the_graph_is_walked_searched_and_panned(chromium: Any, report: Path) -> None:
    page, watched = open_page(chromium, report, "#view=graph&capture=0/1")
    wait_for_graph(page)
    info = page.locator("#graph-info")
    assert info.inner_text() == "40 nodes, folded from 46 FX nodes"
    panel = page.locator("#graph-panel")
    page.focus("#graph-canvas")
    page.keyboard.press("ArrowDown")
    assert "NodeCall 1" in panel.inner_text()
    page.keyboard.press("ArrowDown")
    assert "NodeCall 2" in panel.inner_text()
    assert page.evaluate("location.hash") == "#view=graph&capture=0/1&node=1"
    page.keyboard.press("/")
    page.keyboard.type("powback")
    page.keyboard.press("Enter")
    assert panel.locator("h3").inner_text() == "PowBackward0"
    assert page.locator("#graph-hits").inner_text() == "1 of 1"
    drawn = page.evaluate("window.caFrames().graph.length")
    box = page.locator("#graph-canvas").bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] + 90, steps=5)
    page.mouse.up()
    page.wait_for_timeout(50)
    assert page.evaluate("window.caFrames().graph.length") > drawn
    # The table for a screen reader says the same.
    page.locator("#graph-table-box summary").click()
    page.wait_for_selector("#graph-table tbody tr")
    assert page.locator("#graph-table tbody tr").count() == 40
    assert watched.errors == []


def test_a_difference_shows_what_changed(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report, "#view=graph&capture=0/1")
    wait_for_graph(page)
    page.focus("#graph-canvas")
    page.keyboard.press("d")
    info = page.locator("#graph-info")
    wait_until(page, "document.querySelector('#graph-info').innerText.includes('changed')")
    assert "1 changed, 0 added, 0 removed" in info.inner_text()
    said = page.locator("#graph-panel").inner_text()
    assert "[True], 3)" in said.split("code before")[1].split("generated code")[1]
    assert "[True], 2)" in said.split("code before")[1].split("generated code")[0]


def sizes(batch: int, exponent: int = 2) -> str:
    """A graph whose first node has ``batch`` rows, the next ones too, then an exponent."""
    code, last = HEAD, "getitem"
    check = "[((None, None, device(type='cpu'), 6, 0, None), [{0}, 64], False, 6)]"
    names = ["DivBackward0", "NllLossBackward0", "ViewBackward0", "PowBackward0"]
    for index, name in enumerate(names):
        code += ORIGIN.format(name, index + 1)
        more = {2: f", [{batch}, 8]", 3: f", {exponent}"}.get(index, "")
        call = f"torch__dynamo_compiled_autograd_ops_{name}([{last}]{more})"
        code += f"        node_{index} = {call}\n"
        rows = 7 if index == 0 else batch
        code += (
            f"        checked_{index} = torch__dynamo_compiled_autograd_ops_validate_outputs("
            f"[node_{index}], {check.format(rows)})\n"
        )
        last = f"checked_{index}"
    return code + "        return []\n"


def test_a_difference_opens_on_its_first_cause(chromium: Any, tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for id, (batch, exponent) in enumerate([(256, 2), (96, 3)]):
        kind = "new_autograd_node" if id else "first"
        log.ca_capture(id, kind, closest_capture=id - 1 if id else None)
        log.torch_capture(id, code=sizes(batch, exponent))
    page, watched = open_page(
        chromium, write_report(log, tmp_path), "#view=graph&capture=0/1&difference=1"
    )
    wait_for_graph(page)
    panel = page.locator("#graph-panel")
    assert panel.locator("h3").inner_text() == "NllLossBackward0"
    assert panel.locator(".status").inner_text() == "Cause: changed"
    assert panel.locator(".values tr").all_inner_texts() == ["256\t→\t96"]
    # The exponent is a cause of its own; the view has the new size and follows.
    causes, consequences = panel.locator("details").all()
    assert causes.locator("li").all_inner_texts() == [
        "NllLossBackward0 256 → 96",
        "PowBackward0 256 → 96, 2 → 3",
    ]
    consequences.locator("summary").click()
    assert consequences.locator("li").all_inner_texts() == ["ViewBackward0 256 → 96"]
    # The address is still the difference's own: a click on a node is what makes it a node's.
    assert page.evaluate("location.hash") == "#view=graph&capture=0/1&difference=1"
    page.keyboard.press("Tab")
    causes.locator("button").nth(1).click()
    assert panel.locator("h3").inner_text() == "PowBackward0"
    assert watched.errors == []


def modules(blocks: int, power: int = 2) -> tuple[str, list[dict[str, Any]]]:
    """A captured graph of ``blocks`` modules, ten nodes and a parameter each, and its nodes.

    In each module the fifth node is a PowBackward0, whose exponent in the last is ``power``.
    """
    code, last, nodes, index = HEAD, "getitem", [], 0
    for block in reversed(range(blocks)):
        for place in range(10):
            index += 1
            name = "PowBackward0" if place == 4 else "MulBackward0"
            exponent = power if block == 0 else 2
            code += ORIGIN.format(name, index)
            value = f"[{last}], [True], {exponent if place == 4 else 1}"
            last = f"result_{index}"
            code += f"        {last} = torch__dynamo_compiled_autograd_ops_{name}({value})\n"
            nodes.append({"index": index, "name": name})
        index += 1
        code += ORIGIN.format("torch::autograd::AccumulateGrad", index)
        code += f"        call_accumulate_grad_{index} = "
        code += f"torch__dynamo_external_utils_call_accumulate_grad({last}, None)\n"
        parameter = f"blocks.{block}.weight"
        nodes.append({"index": index, "name": "AccumulateGrad", "parameter": parameter})
    return code + "        return []\n", nodes


@pytest.fixture(scope="module")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = LogWriter()
    log.ca_run()
    for id in range(2):
        code, nodes = modules(12, power=2 + id)
        kind = "new_autograd_node" if id else "first"
        log.ca_capture(id, kind, closest_capture=id - 1 if id else None, autograd_graph=nodes)
        log.torch_capture(id, code=code)
    return write_report(log, tmp_path_factory.mktemp("grouped"))


def test_modules_are_folded_and_open_by_keyboard(chromium: Any, grouped: Path) -> None:
    page, watched = open_page(chromium, grouped, "#view=graph&capture=0/0")
    wait_for_graph(page)
    fold = page.locator("#graph-fold option:checked")
    assert fold.inner_text() == "modules, level 2 (12 nodes)"
    page.focus("#graph-canvas")
    page.keyboard.press("ArrowDown")
    panel = page.locator("#graph-panel")
    assert panel.locator("h3").inner_text() == "blocks.11 (11)"
    assert "9 × MulBackward0" in panel.inner_text()
    page.keyboard.press("ArrowDown")
    assert panel.locator("h3").inner_text() == "blocks.10 (11)"
    page.keyboard.press("Enter")
    assert fold.inner_text() == "custom (22 nodes)"
    assert panel.locator("h3").inner_text() == "MulBackward0"
    page.keyboard.press("x")
    assert fold.inner_text() == "modules, level 2 (12 nodes)"
    assert panel.locator("h3").inner_text() == "blocks.10 (11)"
    page.keyboard.press("x")
    assert panel.locator("h3").inner_text() == "blocks (132)"
    page.select_option("#graph-fold", "0")
    assert fold.inner_text() == "all 132 nodes"
    assert watched.errors == []


def test_what_is_looked_for_is_taken_out_of_its_group(chromium: Any, grouped: Path) -> None:
    page, _ = open_page(chromium, grouped, "#view=graph&capture=0/0&node=15")
    wait_for_graph(page)
    panel = page.locator("#graph-panel")
    assert panel.locator("h3").inner_text() == "PowBackward0"
    assert "blocks.10" in panel.inner_text()
    page.keyboard.press("/")
    page.keyboard.type("pow blocks.3")
    page.keyboard.press("Enter")
    assert "blocks.3" in panel.inner_text()
    assert page.locator("#graph-hits").inner_text() == "1 of 1"
    assert page.locator("#graph-fold option:checked").inner_text().startswith("custom")


def test_a_difference_opens_the_group_that_differs(chromium: Any, grouped: Path) -> None:
    page, _ = open_page(chromium, grouped, "#view=graph&capture=0/1&difference=1")
    wait_for_graph(page)
    assert "1 changed, 0 added, 0 removed" in page.locator("#graph-info").inner_text()
    assert "difference to !0" in page.locator(".controls").inner_text()
    # Eleven folded groups and the eleven nodes of the one that differs.
    told = page.locator("#graph-fold option:checked").inner_text()
    assert told == "custom (22 nodes)"


def test_a_capture_is_a_page_of_its_own(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report, "#captures")
    page.locator("#captures-table tr[tabindex]").nth(0).click()
    page.wait_for_selector("#capture-0-1:visible")
    assert not page.locator("#captures-table").is_visible()
    page.keyboard.press("]")
    page.wait_for_selector("#capture-0-2:visible")
    assert page.locator("section.capture:visible").count() == 1
    page.locator("#capture-0-2 .steps a[rel=prev]").click()
    page.wait_for_selector("#capture-0-1:visible")
    page.locator("#capture-0-1 .steps a[href='#captures']").click()
    page.wait_for_selector("#captures-table:visible")


def test_paper_has_all_of_it_but_the_pictures(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report, "#timeline", color_scheme="dark")
    page.emulate_media(media="print")
    for id in ("overview", "captures", "source", "log"):
        assert page.locator(f"#{id}").is_visible()
    assert not page.locator("nav").is_visible()
    # Dark paper wastes ink and is not printed at all: text would be white on white.
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_a_deep_link_restores_the_node(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report, "#capture=0/2&node=2")
    wait_for_graph(page)
    assert page.locator("#graph-panel h3").inner_text() == "PowBackward0"
    assert page.locator("#graph-capture").input_value() == "0/2"
    page, _ = open_page(chromium, report, "#capture-0-3")
    assert page.locator("section.capture:visible").get_attribute("id") == "capture-0-3"


def test_the_timeline_answers_the_keyboard(chromium: Any, report: Path) -> None:
    page, watched = open_page(chromium, report, "#timeline")
    wait_until(page, "window.caFrames().timeline.length > 0")
    drawn = page.evaluate("window.caFrames().timeline.length")
    page.focus("#timeline-canvas")
    for key in ("+", "ArrowRight", "-", "0"):
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    assert page.evaluate("window.caFrames().timeline.length") > drawn
    # Captures and compiles in the order of their time; the second is the compile of !0.
    panel = page.locator("#timeline-panel")
    page.keyboard.press("n")
    assert panel.locator("h3").inner_text() == "capture !0"
    assert "400 ms" in panel.inner_text()
    page.keyboard.press("n")
    assert panel.locator("h3").inner_text() == "backward compile !0/1/0"
    page.keyboard.press("p")
    assert panel.locator("h3").inner_text() == "capture !0"
    assert "first capture of this process" in panel.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("#capture-0-0:visible")
    page.go_back()
    page.wait_for_selector("#timeline-canvas:visible")
    page.keyboard.press("0")
    box = page.locator("#timeline-canvas").bounding_box()
    assert box["height"] > 200
    # The first backward runs from 0.4 s to 0.65 s of 19.65 s; 128 pixels hold the names of the
    # lanes, 26 the axis and 24 the name of the process.
    at = box["x"] + 128 + 0.5 / 19.65 * (box["width"] - 138)
    point_at(page, at, box["y"] + 65, "backward 0, !0, miss")
    # What is said of a bar stands below the lanes, and a click on a miss opens its capture.
    said = page.locator("#timeline-pointed").bounding_box()
    assert said["y"] >= box["y"] + box["height"]
    page.mouse.click(at, box["y"] + 65)
    page.wait_for_selector("#capture-0-0:visible")
    assert watched.errors == []


def test_the_theme_is_the_systems_or_the_chosen_one(chromium: Any, report: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    page, _ = open_page(chromium, report, color_scheme="dark")
    dark = page.evaluate(paper)
    page.select_option("#theme", "light")
    assert page.evaluate(paper) == "rgb(255, 255, 255)" != dark
    page.select_option("#theme", "")
    assert page.evaluate(paper) == dark


def test_keys_work_from_the_start_of_the_page(chromium: Any, report: Path) -> None:
    page, watched = open_page(chromium, report)
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == "finding-0"
    page.keyboard.press("d")
    wait_for_graph(page)
    assert "difference=1" in page.evaluate("location.hash")
    # The focus is on a menu, and the keys are the page's all the same.
    page.focus("#graph-capture")
    drawn = page.evaluate("window.caFrames().graph.length")
    for key in ("+", "-", "n", "p", "j", "k"):
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    assert page.evaluate("window.caFrames().graph.length") > drawn
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "graph-search"
    page.keyboard.type("Pow")
    assert page.locator("#graph-hits").inner_text() == "1 of 1"
    page.keyboard.press("Escape")
    assert page.locator("#graph-search").input_value() == ""
    assert page.locator("#graph-hits").inner_text() == ""
    page.keyboard.press("2")
    page.wait_for_selector("#timeline-canvas:visible")
    wait_until(page, "window.caFrames().timeline.length > 0")
    page.keyboard.press("n")
    assert page.locator("#timeline-panel h3").inner_text() == "capture !0"
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    assert watched.errors == []


def test_many_captures_of_one_finding_are_a_group_with_ten_rows(
    chromium: Any, tmp_path: Path
) -> None:
    log = LogWriter()
    log.ca_run()
    for id in range(30):
        kind = "new_autograd_node" if id else "first"
        log.ca_capture(id, kind, closest_capture=id - 1 if id else None)
        log.torch_capture(id, code=chain(5, power=2 + id))
    page, _ = open_page(chromium, write_report(log, tmp_path), "#captures")
    rows = page.locator("#captures-table tr[tabindex]:visible")
    groups = page.locator("#captures-table tr.group th:visible").all_inner_texts()
    assert len(groups) == 2
    assert "29 captures" in groups[0]
    assert rows.count() == 11
    page.get_by_role("button", name="Show all 29").click()
    assert rows.count() == 30


def test_a_run_without_compiled_autograd_has_lanes(chromium: Any, tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for again in range(3):
        log.compiled(f"0/{again}", 0.5, start_time=START + again)
    page, watched = open_page(chromium, write_report(log, tmp_path), "#timeline")
    wait_until(page, "window.caFrames().timeline.length > 0")
    page.keyboard.press("n")
    assert page.locator("#timeline-panel h3").inner_text() == "forward compile 0/0"
    assert watched.errors == []


def test_the_line_to_change_is_shown_marked_and_copied(chromium: Any, tmp_path: Path) -> None:
    lines = [f"x = {number}" for number in range(1, 60)]
    lines[39] = "loss = error.pow(exponent)  # <script>alert(1)</script>"
    (tmp_path / "train.py").write_text("\n".join(lines), "utf-8")
    log = sample_run()
    path = log.write(tmp_path / "trace.log")
    found = analyze(ca_reports.load([path], source_roots=[tmp_path]))
    place = Frame(str(tmp_path / "train.py"), 40, "main", lines[39])
    first = replace(found.diagnosis.findings[0], location=place)
    diagnosis = replace(found.diagnosis, findings=(first, *found.diagnosis.findings[1:]))
    report = tmp_path / "report.html"
    report.write_text(html.render(replace(found, diagnosis=diagnosis)), "utf-8")
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    page, watched = open_page(context, report)
    card = page.locator("#finding-0")
    assert [line.split("\t")[-1] for line in card.locator(".excerpt code").all_inner_texts()] == [
        "x = 39", lines[39], "x = 41",
    ]  # fmt: skip
    assert card.locator(".excerpt .change .line").inner_text() == "40"
    card.get_by_role("button", name="Copy location").click()
    wait_until(page, "document.querySelector('#finding-0 .copy [role=status]').innerText !== ''")
    assert page.evaluate("navigator.clipboard.readText()") == f"{place.file}:40"
    card.get_by_role("button", name="Copy fix").click()
    page.wait_for_timeout(100)
    assert page.evaluate("navigator.clipboard.readText()") == first.fix
    # A click leads to the line, which is marked and not under the tabs.
    card.locator(".where a.place").first.click()
    page.wait_for_selector("#source:visible")
    line = page.locator(".source li.change", has_text="the line to change")
    assert lines[39] in line.inner_text()
    tabs = page.locator("nav").bounding_box()
    assert line.bounding_box()["y"] >= tabs["y"] + tabs["height"]
    assert watched.errors == []
    assert watched.dialogs == []
    context.close()


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_a_narrow_bar_keeps_its_seconds(chromium: Any, report: Path, width: int) -> None:
    # GIVEN a bar of four parts, of which three have little room
    page, _ = open_page(chromium, report, viewport={"width": width, "height": 800})
    page.evaluate(
        "() => { for (const part of document.querySelectorAll('.bar .part'))"
        " part.style.flex = '0 0 60px' }"
    )

    # THEN each shows its seconds in full, and a name only where there is room for it
    for part in page.locator(".bar .part").all():
        box, seconds = part.bounding_box(), part.locator("b").bounding_box()
        assert seconds["y"] < box["y"] + box["height"]
        assert seconds["x"] + seconds["width"] <= box["x"] + box["width"]
        name = part.locator("span").bounding_box()
        assert name["y"] >= box["y"] + box["height"] or name["width"] > 20


@pytest.mark.parametrize("width", [1024, 1440])
def test_tables_fit_a_small_laptop(chromium: Any, report: Path, width: int) -> None:
    page, _ = open_page(chromium, report, viewport={"width": width, "height": 800})
    for view in ("#overview", "#captures", "#log"):
        page.evaluate("hash => { location.hash = hash }", view)
        page.locator(view).wait_for()
        cut = page.evaluate(
            "() => [...document.querySelectorAll('.wide')]"
            ".filter(one => one.offsetParent && one.scrollWidth > one.clientWidth + 1).length"
        )
        assert cut == 0, view


def test_the_place_that_all_captures_share_is_said_once(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report, "#captures")
    assert (
        page.locator("#captures-list p")
        .first.inner_text()
        .endswith("All were called at train.py:11 in main.")
    )
    assert "where" not in page.locator("#captures-table thead").inner_text()
    assert page.locator("#captures-table td.where").count() == 0


def test_the_difference_fits_a_phone_and_tabs_say_that_there_are_more(
    chromium: Any, report: Path
) -> None:
    page, _ = open_page(chromium, report, "#capture-0-1", viewport={"width": 390, "height": 800})
    page.locator("#capture-0-1 summary", has_text="Details").click()
    for table in page.locator("#capture-0-1 table:visible").all():
        box = table.bounding_box()
        assert box["x"] + box["width"] <= 390
    assert page.evaluate(
        "(nav => nav.scrollWidth > nav.clientWidth)(document.querySelector('nav'))"
    )
    style = "getComputedStyle(document.querySelector('nav')).backgroundImage"
    assert page.evaluate(style).count("gradient") == 4


def test_a_question_mark_lists_the_keys(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report)
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_a_hostile_log_runs_nothing(chromium: Any, tmp_path: Path) -> None:
    log = hostile_log()
    path = write_report(log, tmp_path)
    page, watched = open_page(chromium, path)
    for hash in (
        "#captures",
        "#capture-0-1",
        "#view=graph&capture=0/1",
        "#view=graph&capture=0/1&node=0",
        "#timeline",
        "#source",
        "#log",
        "#<img src=x onerror=alert(3)>",
        "#capture=../../&node=-1",
    ):
        page.evaluate("hash => { location.hash = hash }", hash)
        page.wait_for_timeout(80)
    assert watched.dialogs == []
    assert watched.errors == []
    assert watched.requests == [path.resolve().as_uri()]
    assert page.locator("img").count() == 0
    # Even a script that found its way in could not run, nor could anything be fetched.
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.evil = 1';"
        " document.body.append(s); const i = new Image(); i.src = 'http://127.0.0.1:9/x';"
        " document.body.append(i) }"
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.evil") is None
    assert any("Content Security Policy" in said for said in watched.errors)


def test_advice_to_ranks_fits_a_phone(chromium: Any, tmp_path: Path) -> None:
    """A setting's name is longer than the page is wide, and is no reason to scroll all of it."""
    path = tmp_path / "report.html"
    analysis = analyze(job(tmp_path / "job", compiles={}, waits={}, first=5))
    path.write_text(html.render(analysis), "utf-8")
    page, _ = open_page(chromium, path, viewport={"width": 390, "height": 800})
    assert "enable_compiler_collectives" in page.locator("#ranks").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_how_a_size_is_made_dynamic_is_seen_on_a_phone(chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html.render(analysis_of(tmp_path, *LENGTHS)), "utf-8")
    page, _ = open_page(chromium, path, "#log", viewport={"width": 390, "height": 800})
    advice = page.locator("#dynamic td", has_text="mark_dynamic")
    box = advice.first.bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= 390


def test_an_address_of_a_view_that_is_not_there_leads_to_the_overview(
    chromium: Any, tmp_path: Path
) -> None:
    """Nothing was captured, so there is no graph; a kept address or the key g may ask for it."""
    log = LogWriter()
    log.ca_run(enabled=False)
    log.compiled("0/0", 0.5, start_time=START)
    page, watched = open_page(chromium, write_report(log, tmp_path), "#graph")
    assert page.locator("nav a", has_text="Graph").count() == 0
    assert page.locator("#overview").is_visible()
    page.keyboard.press("g")
    assert page.locator("#overview").is_visible()
    assert watched.errors == []


def test_the_view_of_graphs_says_that_there_are_none(chromium: Any, tmp_path: Path) -> None:
    """As where compiled autograd is on and torch refused to capture."""
    log = LogWriter()
    log.ca_run(enabled=True)
    page, watched = open_page(chromium, write_report(log, tmp_path), "#graph")
    assert page.locator("#graph").is_visible()
    assert "No captured graph is in this log." in page.locator("#graph").inner_text()
    assert watched.errors == []


def test_a_phone_is_wide_enough(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report, viewport={"width": 390, "height": 800})
    for view in ("overview", "timeline", "captures", "graph", "log"):
        page.evaluate("view => { location.hash = view }", view)
        page.wait_for_timeout(60)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, view


@pytest.mark.long
def test_seven_thousand_nodes_open_in_a_second_and_pan_smoothly(
    chromium: Any, tmp_path: Path
) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    code, last = HEAD, ["getitem"] * 20
    for index in range(7_000):
        lane = index % 20
        other = last[(lane * 7 + index // 20) % 20]
        code += ORIGIN.format("MulBackward0", index)
        code += f"        result_{index} = torch.mul({last[lane]}, {other})\n"
        last[lane] = f"result_{index}"
    log.torch_capture(0, code=code)
    page, _ = open_page(chromium, write_report(log, tmp_path))
    opened = page.evaluate(
        "async () => { const began = performance.now(); location.hash = '#capture=0/0&node=0';"
        " while (!window.caFrames().graph.length) await new Promise(r => setTimeout(r, 5));"
        " return performance.now() - began }"
    )
    assert opened < 1_000
    page.focus("#graph-canvas")
    for _ in range(20):
        page.keyboard.press("-")
    for _ in range(60):
        page.keyboard.press("Shift+ArrowDown")
        page.wait_for_timeout(10)
    frames = sorted(page.evaluate("window.caFrames().graph"))
    assert frames[len(frames) * 9 // 10] < 1_000 / 30


def test_the_sample_run_has_a_page(chromium: Any, tmp_path: Path) -> None:
    page, watched = open_page(chromium, write_report(sample_run(), tmp_path), "#capture=0/1")
    capture = page.locator("#capture-0-1")
    assert "PowBackward0 exponent 2 → 3" in capture.locator(".lead").inner_text()
    assert "torch's reason" not in capture.inner_text()
    capture.locator("summary", has_text="Details").click()
    assert "torch's reason" in capture.inner_text()
    assert watched.errors == []


@pytest.mark.long
def test_a_hundred_thousand_backwards_stay_smooth(chromium: Any, tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for first in range(0, 100_000, 1_000):
        rows = range(first, first + 1_000)
        log.own(
            "ca_backwards",
            time=START + first / 100,
            step=list(rows),
            capture=[0] * 1_000,
            start=[row / 100 for row in rows],
            seconds=[0.004 + 0.002 * (row % 7 == 0) for row in rows],
            miss=[int(row % 9_973 == 0) for row in rows],
            failed=[0] * 1_000,
        )
    log.ca_end(START + 1_001, 100_000, 99_989)
    page, watched = open_page(chromium, write_report(log, tmp_path))
    opened = page.evaluate(
        "async () => { const began = performance.now(); location.hash = '#timeline';"
        " while (!window.caFrames().timeline.length) await new Promise(r => setTimeout(r, 5));"
        " return performance.now() - began }"
    )
    assert opened < 1_000
    box = page.locator("#timeline-canvas").bounding_box()
    point_at(page, box["x"] + 130, box["y"] + 65, "zoom in")
    page.focus("#timeline-canvas")
    for key in (*["+"] * 15, *["ArrowRight"] * 20, *["-"] * 15):
        page.keyboard.press(key)
        page.wait_for_timeout(10)
    frames = sorted(page.evaluate("window.caFrames().timeline"))
    assert len(frames) > 20
    assert frames[len(frames) * 9 // 10] < 1_000 / 30
    assert watched.errors == []


def test_what_stopped_the_program_stands_first_with_its_line_and_fix(
    chromium: Any, tmp_path: Path
) -> None:
    # GIVEN a run that an exception out of a compile ended
    report = tmp_path / "report.html"
    report.write_text(html.render(analyze(crashed(tmp_path))), "utf-8")

    # WHEN somebody opens it in a narrow window
    page, watched = open_page(chromium, report, viewport={"width": 400, "height": 900})
    place = page.locator("#crash")
    text = place.inner_text()

    # THEN it says what stopped it before anything else, and leads to the finding about it
    assert "What stopped the program" in text
    assert "it ended the run" in text
    assert "Fix:" in text
    below = place.evaluate("e => e.getBoundingClientRect().bottom")
    assert below < page.locator(".numbers").bounding_box()["y"]
    place.locator("details summary").click()
    assert place.locator("pre").inner_text() == "BackendCompilerFailed: no compiler"
    place.locator(".links a").first.click()
    about = page.locator(page.evaluate("location.hash"))
    assert about.locator(".code-name").inner_text() == "CA610 compile-error"
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert (watched.errors, watched.dialogs) == ([], [])


def test_a_run_that_came_to_its_end_has_no_place_for_a_crash(chromium: Any, report: Path) -> None:
    page, _ = open_page(chromium, report)
    assert page.locator("#crash").count() == 0

"""The built script and style of the report are those of their sources."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ca_reports.facts.graphs.layout import lay_out

WEB = Path(__file__).parents[4] / "reports" / "ca_reports" / "web"
BUILT = ("report.js", "report.css")

needs_bundler = pytest.mark.skipif(
    shutil.which("node") is None or not (WEB / "node_modules" / "esbuild").is_dir(),
    reason="no node, or no node_modules: npm ci --prefix reports/ca_reports/web",
)


def fingerprint() -> str:
    """The same over the same files as in ``build.mjs``."""
    names = sorted(path.name for path in (WEB / "src").iterdir())
    digest = hashlib.sha256()
    for name in [*(f"src/{name}" for name in names), "build.mjs", "package-lock.json"]:
        digest.update(f"{name}\0".encode() + (WEB / name).read_bytes() + b"\0")
    return digest.hexdigest()


@pytest.mark.parametrize("name", BUILT)
def test_the_built_files_are_of_these_sources(name: str) -> None:
    first = (WEB / "built" / name).read_text("utf-8").split("\n", 1)[0]
    assert fingerprint() in first, "stale: npm run build --prefix reports/ca_reports/web"


def test_nothing_in_the_script_ends_its_element() -> None:
    text = (WEB / "built" / "report.js").read_text("utf-8")
    assert not re.search(r"</script|<!--", text, re.I)
    assert "\r" not in text


@needs_bundler
def test_building_again_gives_the_same(tmp_path: Path) -> None:
    out = Path("..", *[".."] * len(WEB.parents), *tmp_path.parts[1:])
    subprocess.run(["node", "build.mjs", str(out)], cwd=WEB, check=True)
    for name in BUILT:
        assert (tmp_path / name).read_bytes() == (WEB / "built" / name).read_bytes()


@needs_bundler
def test_the_pure_parts_of_the_script() -> None:
    done = subprocess.run(
        ["node", "test.mjs"], cwd=WEB, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.findall(r"^# pass (\d+)", done.stdout, re.M)[0]) >= 10


@needs_bundler
def test_the_types_of_the_script() -> None:
    done = subprocess.run(
        [str(WEB / "node_modules" / ".bin" / "tsc"), "--noEmit"],
        cwd=WEB, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


# Bundles the script's layout, runs it on the graphs on stdin.
_LAY_OUT = """
import { build } from "esbuild";
const made = await build({
  entryPoints: ["src/layout.ts"], bundle: true, format: "esm", write: false,
});
const code = Buffer.from(made.outputFiles[0].text).toString("base64");
const { layOut } = await import("data:text/javascript;base64," + code);
let text = "";
for await (const part of process.stdin) text += part;
const found = JSON.parse(text).map(({ labels, inputs }) => {
  const { x, y, width, size, bends } = layOut(labels, inputs);
  return { x, y, width, size, bends: Object.fromEntries(bends) };
});
console.log(JSON.stringify(found));
"""


@needs_bundler
def test_python_and_the_script_lay_out_alike() -> None:
    graphs: list[dict[str, Any]] = [{"labels": [], "inputs": []}]
    for seed in range(6):
        chance = random.Random(seed)
        count = 20 + 60 * seed
        graphs.append(
            {
                "labels": ["x" * chance.randrange(1, 50) for _ in range(count)],
                "inputs": [
                    sorted({chance.randrange(node) for _ in range(chance.randrange(4))})
                    if node
                    else []
                    for node in range(count)
                ],
            }
        )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", _LAY_OUT],
        cwd=WEB, input=json.dumps(graphs), capture_output=True, text=True, check=True,
    )  # fmt: skip
    for graph, found in zip(graphs, json.loads(done.stdout), strict=True):
        placed = lay_out(graph["labels"], graph["inputs"])
        for name in ("x", "y", "width", "size"):
            assert found[name] == pytest.approx(list(getattr(placed, name)), abs=0.11), name
        bends = {f"{a} {b}": [v for point in points for v in point]
                 for (a, b), points in placed.bends.items()}  # fmt: skip
        assert found["bends"].keys() == bends.keys()
        for edge, points in bends.items():
            assert found["bends"][edge] == pytest.approx(points, abs=0.11), edge

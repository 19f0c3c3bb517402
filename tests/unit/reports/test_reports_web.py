"""The built script and style of the report are those of their sources."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[3] / "reports" / "ca_reports" / "web"
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

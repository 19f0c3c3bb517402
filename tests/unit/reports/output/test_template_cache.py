from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import jinja2
import pytest

from ca_reports.output.template_cache import TemplateCache

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def kept_as_users_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that were compiled and not read."""
    names = []
    compile = jinja2.Environment.compile

    def noting(*args: Any, **more: Any) -> Any:
        names.append(args[2])
        return compile(*args, **more)

    monkeypatch.setattr(jinja2.Environment, "compile", noting)
    return names


def filled(folder: Path, source: str, cache: Path | None, **options: Any) -> str:
    (folder / "page.j2").write_text(source)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), **{"autoescape": True, **options}
    )
    environment.bytecode_cache = TemplateCache(environment, cache)
    return environment.get_template("page.j2").render(name="<b>")


def test_a_compiled_template_is_kept_and_used_while_it_is_that_of_its_source(
    tmp_path: Path, compiled: list[str]
) -> None:
    cache = tmp_path / "cache"
    assert filled(tmp_path, "one {{ name }}", cache) == "one &lt;b&gt;"
    (kept,) = cache.iterdir()
    assert filled(tmp_path, "one {{ name }}", cache) == "one &lt;b&gt;"
    assert len(compiled) == 1
    assert filled(tmp_path, "two {{ name }}", cache) == "two &lt;b&gt;"
    whole = kept.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"x" * 500):
        kept.write_bytes(damaged)
        assert filled(tmp_path, "two {{ name }}", cache) == "two &lt;b&gt;"
    assert len(compiled) == 5
    assert list(cache.iterdir()) == [kept]


def upper(value: str) -> str:
    return value.upper()


def lower(value: str) -> str:
    return value.lower()


def test_what_another_environment_kept_is_not_used(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    source = '{{ "Ab"|said }}{{ name }}'
    for finalize, said, autoescape, expected in (
        (upper, lower, True, "AB&lt;B&gt;"),
        (lower, lower, True, "ab&lt;b&gt;"),
        (lower, upper, True, "ab&lt;b&gt;"),
        (None, upper, True, "AB&lt;b&gt;"),
        (None, upper, False, "AB<b>"),
        (None, lower, False, "ab<b>"),
    ):
        (tmp_path / "page.j2").write_text(source)
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(tmp_path), finalize=finalize, autoescape=autoescape
        )
        environment.filters["said"] = said
        environment.bytecode_cache = TemplateCache(environment, cache)
        assert environment.get_template("page.j2").render(name="<b>") == expected
    assert len(list(cache.iterdir())) == 1


def test_code_is_read_only_where_nobody_else_can_write(tmp_path: Path, compiled: list[str]) -> None:
    above = tmp_path / "above"
    cache = above / "cache"
    filled(tmp_path, "one", cache)
    assert (above.stat().st_mode & 0o777, cache.stat().st_mode & 0o777) == (0o700, 0o700)
    filled(tmp_path, "one", cache)
    assert len(compiled) == 1
    for changed, mode, times in (
        (cache, 0o777, 2), (cache, 0o770, 3), (cache, 0o1777, 4), (cache, 0o700, 4),
        (above, 0o777, 5), (above, 0o775, 6), (above, 0o1777, 6), (above, 0o755, 6),
    ):  # fmt: skip
        changed.chmod(mode)
        filled(tmp_path, "one", cache)
        assert len(compiled) == times, (changed.name, oct(mode))


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root")
def test_code_in_a_folder_of_another_user_is_not_read(tmp_path: Path, compiled: list[str]) -> None:
    cache = tmp_path / "above" / "cache"
    for owned in (cache, cache.parent):
        filled(tmp_path, "one", cache)
        before = len(compiled)
        os.chown(owned, 12345, -1)
        filled(tmp_path, "one", cache)
        assert len(compiled) == before + 1, owned.name
        os.chown(owned, 0, -1)


def test_it_is_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    filled(tmp_path, "one", None)
    assert len(list((tmp_path / "caches" / "ca" / "templates").iterdir())) == 1


def test_where_nothing_can_be_kept_templates_are_compiled_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    assert filled(tmp_path, "one", tmp_path / "file" / "cache") == "one"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert filled(tmp_path, "one", tmp_path / "cache") == "one"
    assert not (tmp_path / "cache").exists()

"""Characters that pages and editors put into a text; what is said of them: `test_escaped`."""

from __future__ import annotations

from ca_reports.logs.copied import as_written, is_copied, is_escaped, tabs_before, unescaped


def test_text_with_raw_characters_is_not_escaped() -> None:
    assert is_escaped(b"x &gt; 3")
    assert not is_escaped(b'x &gt; "3"')
    assert not is_escaped(b"x > 3")
    assert unescaped(b"&lt;&amp;amp;&#x27;\xff") == b"<&amp;'\xff"
    assert is_escaped(b"<pre>x &lt; 3</pre>")
    assert not is_escaped(b"<pre>x &lt; 3</pre> in <module>")
    assert unescaped(b'<p class="log">x &lt; 3<br>y<br/>\nz</p>') == b"x < 3\ny\nz"


def test_no_other_character_is_changed() -> None:
    assert as_written("\xa0x\u2019\u201cä\u2013".encode()) == " x'\"ä\u2013".encode()
    assert not is_copied("ä\u2013".encode())


def test_tabs_are_those_of_each_line() -> None:
    assert tabs_before(b"\t\ta\n\r\n\n\t\t\tb\n") == b"\t\t"
    assert tabs_before(b"\ta\nb\n") == b""
    assert tabs_before(b"a\n\tb\n") == b""

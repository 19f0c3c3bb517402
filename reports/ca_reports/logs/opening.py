"""Opening what was found: files, URLs and stdin, packed or not."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from ca_engine.lazy_expressions import expression
from ca_reports.errors import CaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STDIN = "-"

# By the first bytes, whatever the name.
_GZIP = b"\x1f\x8b\x08"
_BZIP2 = b"BZh"
_XZ = b"\xfd7zXZ\x00"
_ZSTD = b"\x28\xb5\x2f\xfd"
# What PowerShell's `>` writes.
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HEAD = 1 << 16
# A log with a torn beginning may begin with anything, but packed data hold no line like this.
_PLAIN = expression(rb"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ ")
# Four bytes of zstd may stand for 128 KiB. So little is unpacked at once that even a
# file made to fill the memory yields 16 MiB a piece.
_ZSTD_PIECE = 1 << 9
_ZSTD_WINDOW = 1 << 27
# A file may unpack to so many bytes, and beyond to so many times its own: traces do to 30 to 170
# times (measured, with zstd's longest window), gzip at most to 1,032, zstd to 32,000.
_MOST_UNPACKED = 256 << 20
_MOST_TIMES = 250
# Seconds that a web server may take to answer, and to send nothing.
_CONNECT = 20
_SILENCE = 120


class Readable(Protocol):
    """``read(size)`` gives at most about ``size`` bytes, ``b""`` at the end."""

    def read(self, size: int = -1, /) -> bytes:
        """Read."""
        ...


class Unpacking(CaError):  # noqa: N818  # what happened, not whose fault it is
    """A packed file is cut or broken; what came before could be read."""


def is_url(name: str) -> bool:
    """Return whether ``name`` is for fsspec: ``s3://…``, ``https://…``, ``zip://a.log::b.zip``."""
    scheme, found, _ = name.partition("://")
    return bool(found) and scheme.replace("+", "").replace(".", "").replace("-", "").isalnum()


@contextmanager
def open_log(name: str | os.PathLike[str]) -> Iterator[Readable]:
    """Open a path, a URL or ``-`` for reading, unpacked.

    Raises OSError if it cannot be opened, and whatever the file system behind a URL raises.
    Reading raises OSError, or `Unpacking` for packed data that is cut or broken.
    """
    if isinstance(name, str) and name == STDIN:
        yield _unpacked(_Joined(b"", sys.stdin.buffer))
    elif isinstance(name, str) and is_url(name):
        import fsspec

        options = _web_options() if name.startswith(("http://", "https://")) else {}
        with fsspec.open(name, "rb", **options) as stream:
            yield _unpacked(_Joined(b"", cast("IO[bytes]", stream)))
    else:
        with Path(name).open("rb") as stream:
            # Files of the kernel have no size, and some wait for ever: `/proc/kmsg`.
            yield _unpacked(stream if os.fstat(stream.fileno()).st_size else io.BytesIO())


def _web_options() -> dict[str, Any]:
    """Return one request, read from begin to end: not every server can send a part of a file."""
    try:
        import aiohttp
    except ImportError:
        return {}  # fsspec says what is missing
    # Its own limit is five minutes for all of a file.
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_SILENCE)
    return {"block_size": 0, "client_kwargs": {"timeout": timeout}}


def _unpacked(stream: Any) -> Readable:
    head = stream.read(_HEAD).removeprefix(codecs.BOM_UTF8)
    joined = _Joined(head, stream)
    opener: Callable[[Any], Any] | None = None
    if _PLAIN.search(head):
        return joined
    if head.startswith(_UTF16):
        return _Utf16(joined)
    if head.startswith(_GZIP):
        return _Checked(gzip.GzipFile(fileobj=cast("IO[bytes]", joined)), joined)
    if head.startswith(_BZIP2):
        opener = bz2.BZ2File
    elif head.startswith(_XZ):
        opener = lzma.LZMAFile
    elif head.startswith(_ZSTD):
        opener = _Zstd
    return joined if opener is None else _Checked(opener(joined), joined)


class _Joined:
    """What was read already, and then the rest."""

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head = head
        self._stream = stream
        self.given = 0

    def read(self, size: int = -1, /) -> bytes:
        if self._head:
            data, self._head = self._head, b""
            if 0 <= size < len(data):
                data, self._head = data[:size], data[size:]
        else:
            data = self._stream.read(size)
        self.given += len(data)
        return data

    def seekable(self) -> bool:
        return False

    def readable(self) -> bool:
        return True


class _Utf16:
    """Reads UTF-16 as UTF-8, what is no character replaced."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")

    def read(self, size: int = -1, /) -> bytes:
        while True:
            data = self._stream.read(size)
            text = self._decoder.decode(data, final=not data)
            if text or not data:
                return text.encode()


class _Checked:
    """Ends a file that unpacks to too much, and turns what unpackers raise into one exception."""

    def __init__(self, stream: Readable, packed: _Joined) -> None:
        self._stream = stream
        self._packed = packed
        self._unpacked = 0

    def read(self, size: int = -1, /) -> bytes:
        if self._unpacked > max(_MOST_UNPACKED, _MOST_TIMES * self._packed.given):
            raise Unpacking(
                f"the packed file holds more than {_MOST_TIMES} times its size, as no trace does: "
                "the rest is left out. If it is one, unpack it first"
            )
        data = self._read(size)
        self._unpacked += len(data)
        return data

    def _read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, _Broken) as error:
            raise Unpacking(f"the packed file is cut or broken: {error}") from error
        except OSError as error:
            if error.errno is not None:
                raise
            # bz2 has no exception of its own.
            raise Unpacking(f"the packed file is cut or broken: {error}") from error


class _Broken(Exception):  # noqa: N818  # private, and always turned into Unpacking
    pass


class _Zstd:
    """All frames of a zstd file; unlike zstandard's own reader it notices that one is cut."""

    def __init__(self, stream: Readable) -> None:
        import zstandard

        self._stream = stream
        self._error = zstandard.ZstdError
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        self._frame: Any = None
        self._packed = b""
        self._rest = memoryview(b"")

    def read(self, size: int = -1, /) -> bytes:
        """Read ``size`` bytes at most, all that are left if it is negative."""
        if size < 0:
            data, self._rest = bytes(self._rest), self._rest[:0]
            return data + self._unpack(size)
        if not self._rest:
            self._rest = memoryview(self._unpack(size))
        data, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return data

    def _unpack(self, size: int) -> bytes:
        parts: list[bytes] = []
        have = 0
        while size < 0 or have < size:
            packed = self._packed or self._stream.read(_ZSTD_PIECE)
            self._packed = b""
            if not packed:
                if self._frame is not None and not parts:
                    raise _Broken("it ends within a frame")
                break
            if self._frame is None:
                self._frame = self._unpacker.decompressobj()
            try:
                data = self._frame.decompress(packed)
            except self._error as error:
                if parts:  # what is whole goes out first
                    self._stream, self._frame = _Failing(error), None
                    break
                raise _Broken(str(error)) from error
            if self._frame.eof:
                self._packed = self._frame.unused_data
                self._frame = None
            if data:
                parts.append(data)
                have += len(data)
        return b"".join(parts)


class _Failing:
    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self, size: int = -1, /) -> bytes:
        raise _Broken(str(self._error)) from self._error

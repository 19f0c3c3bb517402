"""A long text of a run, kept compressed, and what differs from it."""

from __future__ import annotations

import zstandard

from ca_engine.lazy_classes import dataclass

# So much longer than a text may be what is like it.
_LONGER = 1 << 10
# Bits of the number of a table's entries, of 4 bytes each.
_LEAST_TABLE, _MOST_TABLE = 13, 17


@dataclass(frozen=True, slots=True)
class StoredText:
    """A long text, kept compressed: a run may hold hundreds of graphs of a megabyte each.

    With a ``base`` only what differs from that text is kept.
    """

    packed: bytes
    length: int
    base: StoredText | None = None

    @classmethod
    def pack(cls, data: bytes, compressor: zstandard.ZstdCompressor | None = None) -> StoredText:
        """Keep ``data`` (UTF-8; anything else is replaced when it is read back).

        ``compressor`` is for who packs many in one thread: making one takes half of the time.
        """
        # It is copied, because what zstandard returns was cut from a piece of memory as large
        # as `data`, which stays taken.
        packed = (compressor or cls.compressor()).compress(data)
        return cls(bytes(memoryview(packed)), len(data))

    @staticmethod
    def compressor(known: bytes | None = None) -> zstandard.ZstdCompressor:
        """Make what packs in a third of zlib's time to 3/4 of its size; less if like ``known``."""
        if known is None:
            return zstandard.ZstdCompressor(level=1)
        # What is known is forgotten where the window ends: it has to hold both texts. The level's
        # own table is too small for what is known from 80 KB on (measured: hundreds of times the
        # size); this one has an entry for each four to eight bytes of the text.
        size = 2 * len(known) + _LONGER
        bits = size.bit_length()
        found = zstandard.ZstdCompressionParameters.from_level(
            1,
            source_size=size,
            dict_size=len(known),
            window_log=bits,
            hash_log=max(_LEAST_TABLE, min(bits - 4, _MOST_TABLE)),
        )
        return zstandard.ZstdCompressor(compression_params=found, dict_data=as_dictionary(known))

    @property
    def text(self) -> str:
        """Return the text, unpacked at each call."""
        return self.data.decode("utf-8", "replace")

    @property
    def data(self) -> bytes:
        """Return the same as bytes."""
        known = None if self.base is None else as_dictionary(self.base.data)
        return zstandard.ZstdDecompressor(dict_data=known).decompress(self.packed)


def as_dictionary(text: bytes) -> zstandard.ZstdCompressionDict:
    """Return what makes a compressor write only what differs from ``text``."""
    return zstandard.ZstdCompressionDict(text, dict_type=zstandard.DICT_TYPE_RAWCONTENT)

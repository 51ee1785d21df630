"""Office files whose bytes depend on their parts alone."""

import datetime as dt
import io
import zipfile

CREATED = dt.datetime(2025, 1, 15, 9, 0, 0)
"""The creation date in every document's properties."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_FIRST = "[Content_Types].xml"


def repacked(content: bytes) -> bytes:
    """The same archive: parts in order of their names (the content types first), no dates, stored.

    Stored, because a deflated part's bytes depend on the zlib that Python was built with.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as stored:
        for name in sorted(packed.namelist(), key=lambda name: (name != _FIRST, name)):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            stored.writestr(entry, packed.read(name))
    return buffer.getvalue()

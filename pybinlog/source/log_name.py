"""The name that a log has among those of its series, wherever it lies and however it is compressed."""

from __future__ import annotations

COMPRESSION_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")


def log_name(path: str) -> str:
    """The base name without a compression suffix: as the server named the log, and as its Rotate events name it."""
    base = path.replace("\\", "/").rpartition("/")[2]
    for suffix in COMPRESSION_SUFFIXES:
        base = base.removesuffix(suffix)
    return base

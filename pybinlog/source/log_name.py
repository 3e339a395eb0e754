"""The name that a log has among those of its series, wherever it lies and however it is compressed."""

from __future__ import annotations

COMPRESSION_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")


def log_name(path: str) -> str:
    """Return the base name without a compression suffix: the server's name for the log, also in Rotate events."""
    base = path.replace("\\", "/").rpartition("/")[2]
    for suffix in COMPRESSION_SUFFIXES:
        base = base.removesuffix(suffix)
    return base

from __future__ import annotations

from tests.cli.conftest import utc

__all__ = ["utc"]

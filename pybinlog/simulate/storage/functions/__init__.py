"""The native functions, by name."""

from __future__ import annotations

from . import geometry, json, number, server, text, time
from .call import FUNCTIONS, Call

__all__ = ["FUNCTIONS", "Call"]

MODULES = (geometry, json, number, server, text, time)

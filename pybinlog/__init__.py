"""pybinlog: MySQL and MariaDB binary logs, with the transaction boundaries of their events."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"

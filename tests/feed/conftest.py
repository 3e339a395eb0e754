"""Relay logs, as views read them."""

from tests.views.conftest import relay, short_logs

__all__ = ["relay", "short_logs"]

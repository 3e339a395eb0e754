from tests.cli.conftest import utc

__all__ = ["utc"]

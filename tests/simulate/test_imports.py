"""Which rooms of simulate know which; those of the package are held by tests/test_architecture.py."""

from __future__ import annotations

from tests.test_architecture import imports


def test_tables_know_nothing_of_statements_and_statements_nothing_of_logs() -> None:
    for room, unknown in (("tables", ("sql", "log")), ("sql", ("log",))):
        own = [module for module in imports() if module.startswith(f"pybinlog.simulate.{room}.")]
        assert own
        for module in own:
            for name in imports()[module]:
                assert not name.startswith(tuple(f"pybinlog.simulate.{other}" for other in unknown)), module

"""Which tests stay together where several processes run them (pytest-xdist, `--dist=loadgroup`)."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
GROUPS = {
    "faults/test_memory_bound.py": "memory",
    "spark/test_cluster.py": "cluster",
    "spark/test_installed.py": "wheel",
    "scale/test_wrap.py": "wrap",
    "parity/test_mariadb.py": "mariadb",
}
"""Files whose tests share what takes long to make."""


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        group = GROUPS.get(item.path.relative_to(HERE).as_posix())
        if group is None and "spark" in getattr(item, "fixturenames", ()):
            group = "spark"  # the one Spark session
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(group))

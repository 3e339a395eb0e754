"""Which interpreters `make test-pythons` finds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.pythons import asked, find

THIS = asked(sys.executable)


def test_interpreters_are_found_on_the_path_and_by_name_and_the_others_are_named(tmp_path: Path) -> None:
    assert THIS is not None
    (tmp_path / f"python{THIS.name}").symlink_to(sys.executable)
    (tmp_path / "python3.99").symlink_to(sys.executable)  # it is not what it is called
    found = find([THIS.name, "3.99", "3.98"], f"{sys.executable} /nowhere/python3", {"PATH": str(tmp_path)})
    on_path = found.pop(THIS.name)
    assert on_path is not None
    assert (on_path.path, on_path.version) == (tmp_path / f"python{THIS.name}", THIS.version)
    assert found == {"3.99": None, "3.98": None, sys.executable: THIS, "/nowhere/python3": None}


@pytest.mark.parametrize("answer", ["", "echo []", "exit 1", """echo '["3.11", "3.11.9", "pypy"]'"""])
def test_what_is_no_cpython_is_not_taken_for_one(answer: str, tmp_path: Path) -> None:
    program = tmp_path / "python3.11"
    program.write_text(f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)
    assert asked(str(program)) is None


def test_the_newest_of_pyenv_is_taken(tmp_path: Path) -> None:
    assert THIS is not None
    versions = tmp_path / ".pyenv" / "versions"
    for version in ("3.97.9", "3.97.10"):
        program = versions / version / "bin" / "python3"
        program.parent.mkdir(parents=True)
        program.write_text(f"""#!/bin/sh\necho '["3.97", "{version}", "cpython"]'\n""")
        program.chmod(0o755)
    (found,) = find(["3.97"], "", {"HOME": str(tmp_path)}).values()
    assert found is not None
    assert found.version == "3.97.10"

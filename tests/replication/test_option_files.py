"""Option files, as MySQL's programs read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybinlog.errors import SourceError
from pybinlog.replication import option_files
from pybinlog.replication.option_files import OptionFiles


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The files of the system and of the user."""
    monkeypatch.setattr(option_files, "GLOBAL_FILES", (str(tmp_path / "global.cnf"),))
    monkeypatch.setattr(option_files, "USER_FILE", str(tmp_path / "user.cnf"))


def test_groups_names_values_quotes_comments_and_escapes(tmp_path: Path) -> None:
    (tmp_path / "user.cnf").write_text(
        '# a comment\n; another\n[mysqld]\nport=1\n[client]\nport = 3307 # not this\nuser="a b # c"\n'
        "ssl_ca = 'x y'\nget-server-public-key\npassword=a#b\n[mysqlbinlog]\nhost=h\\sh\\\\\n[other]\nhost=no\n"
    )
    assert OptionFiles().options() == [
        ("port", "3307"),
        ("user", "a b # c"),
        ("ssl-ca", "x y"),
        ("get-server-public-key", None),
        ("password", "a#b"),
        ("host", "h h\\"),
    ]


def test_the_order_of_files_and_which_are_read(tmp_path: Path) -> None:
    for name in ("global", "extra", "user"):
        (tmp_path / f"{name}.cnf").write_text(f"[client]\nhost={name}\n[client_two]\nport=2\n")
    extra = str(tmp_path / "extra.cnf")
    assert [text for _, text in OptionFiles(extra=extra).options()] == ["global", "extra", "user"]
    assert OptionFiles(only=extra).options() == [("host", "extra")]
    assert OptionFiles(only=extra, suffix="_two").options() == [("host", "extra"), ("port", "2")]
    assert OptionFiles(none=True).options() == []


def test_files_are_included_in_their_place(tmp_path: Path) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "b.cnf").write_text("[client]\nhost=b\n")
    (folder / "a.cnf").write_text("[client]\nhost=a\n")
    (folder / "c.txt").write_text("[client]\nhost=c\n")
    (tmp_path / "one").write_text("[client]\nhost=one\n")
    (tmp_path / "user.cnf").write_text(
        f"[client]\nhost=first\n!include {tmp_path}/one\n!include {tmp_path}/none\n!includedir {folder}\nport=5\n"
    )
    assert [text for _, text in OptionFiles().options()] == ["first", "one", "a", "b", "5"]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        OptionFiles(only=str(tmp_path / "none")).options()
    bad = tmp_path / "bad.cnf"
    for text, sentence in (("port=3\n", "line 1 .* in no"), ("!exclude x\n", "means nothing")):
        bad.write_text(text)
        with pytest.raises(SourceError, match=sentence):
            OptionFiles(only=str(bad)).options()
    bad.write_text(f"!include {bad}\n")
    with pytest.raises(SourceError, match="too deep"):
        OptionFiles(only=str(bad)).options()


def test_a_file_that_anybody_may_write_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "user.cnf").write_text("[client]\nhost=evil\n")
    (tmp_path / "user.cnf").chmod(0o666)
    assert OptionFiles().options() == []

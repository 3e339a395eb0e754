"""Digest texts, and those of a real MySQL 9.7."""

from __future__ import annotations

from random import Random

import pytest

from pybinlog.digest import digest_text
from tests.digest.statements import asked, connect, statement, stored
from tests.server import running

STATEMENTS = 2000


@pytest.mark.parametrize("seed", [1, 2])
def test_statements_at_random_have_the_servers_digest(seed: int) -> None:
    random = Random(seed)
    texts = [statement(random) for _ in range(STATEMENTS)]
    if seed == 1:
        texts += [text for text, _ in stored()]
    with running("mysql", "digest") as server:
        server.sql("CREATE DATABASE IF NOT EXISTS d0")
        cursor = connect(server.socket())
        cursor.execute("USE d0")
        differ = [text for text in texts if asked(cursor, text) != digest_text(text.encode())]
    assert differ == []

"""Spool: records forward and backward, of any size, in memory and in a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.undo import spool as module
from pybinlog.undo.spool import Spool


@given(st.lists(st.binary(max_size=40)), st.sampled_from([24, 64, 1 << 20]), st.sampled_from([0, 100, 1 << 20]))
def test_records_come_back_in_either_order(records: list[bytes], piece: int, in_memory: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", piece)
        patch.setattr(module, "IN_MEMORY", in_memory)
        spool = Spool()
        for record in records:
            spool.append(record)
        assert list(spool.forward()) == records
        assert list(spool.backward()) == records[::-1]
        assert list(spool.forward()) == records
        spool.close()


def test_a_record_may_be_larger_than_what_is_read_at_once() -> None:
    spool = Spool()
    records = [b"a" * 3_000_000, b"b", b"c" * 2_000_000]
    for record in records:
        spool.append(record)
    assert list(spool.backward()) == records[::-1]
    spool.close()

"""Buffers and their pool: memory goes to another Buffer only when no view of it is left."""

import gc
import random
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from pybinlog.kernel.base.buffer import Buffer, BufferPool

SIZE = 1000


class Holder:
    """An object that refers to another."""

    def __init__(self, held: object):
        self.held = held


def in_a_cycle(buffer: Buffer) -> object:
    holder = Holder(memoryview(buffer))
    holder.held = [holder, holder.held]
    return holder


def in_a_generator(buffer: Buffer) -> object:
    def view() -> Any:
        with memoryview(buffer) as mine:
            yield
            yield mine

    generator = view()
    next(generator)
    return generator


HOLDINGS: dict[str, Callable[[Buffer], object]] = {
    "the buffer itself": lambda buffer: buffer,
    "a view": memoryview,
    "a view of some bytes": lambda buffer: memoryview(buffer)[3:7],
    "a view of a view": lambda buffer: memoryview(memoryview(buffer)[1:])[::3],
    "an attribute": Holder,
    "a function": lambda buffer: lambda: buffer,
    "a cycle": in_a_cycle,
    "a generator": in_a_generator,
}


@pytest.mark.parametrize("hold", HOLDINGS.values(), ids=HOLDINGS)
def test_memory_with_a_view_is_not_handed_out(hold: Callable[[Buffer], object]) -> None:
    pool = BufferPool()
    buffer = pool.allocate(SIZE, True)
    memoryview(buffer)[:] = b"a" * SIZE
    held = hold(buffer)
    del buffer
    gc.collect()
    assert len(pool) == 0
    others = [pool.allocate(SIZE, True) for _ in range(40)]
    for other in others:
        memoryview(other)[:] = b"b" * SIZE
    del others, other
    gc.collect()
    kept = len(pool)
    assert kept == 32  # of 40
    del held
    gc.collect()
    assert len(pool) == kept  # it was full


def test_what_is_seen_through_a_view_stays() -> None:
    pool = BufferPool()
    view = memoryview(pool.allocate(SIZE, True))
    view[:] = b"a" * SIZE
    for _ in range(40):
        memoryview(pool.allocate(SIZE, True))[:] = b"b" * SIZE
    assert bytes(view) == b"a" * SIZE


def test_memory_is_used_again_once_the_buffer_is_gone() -> None:
    pool = BufferPool()
    view = memoryview(pool.allocate(SIZE, True))
    view[:] = b"a" * SIZE
    del view
    gc.collect()
    assert len(pool) == 1
    again = pool.allocate(SIZE, True)
    assert len(pool) == 0
    assert bytes(memoryview(again)) == b"a" * SIZE


def test_a_thread_has_its_own_memory_again() -> None:
    pool = BufferPool()
    buffers = {letter: pool.allocate(SIZE, True) for letter in (b"a", b"b", b"c")}
    for letter, buffer in buffers.items():
        memoryview(buffer)[:] = letter * SIZE
    del buffer
    del buffers[b"a"], buffers[b"b"]
    thread = threading.Thread(target=buffers.clear)
    thread.start()
    thread.join()
    assert len(pool) == 3
    again = [pool.allocate(SIZE, True) for _ in range(3)]
    assert [bytes(memoryview(buffer)[:1]) for buffer in again] == [b"b", b"a", b"c"]


def test_only_memory_of_the_same_size_is_used_again() -> None:
    pool = BufferPool()
    for size in (SIZE, SIZE + 1, 0):
        pool.allocate(size, True)
    gc.collect()
    assert len(pool) == 3
    assert len(pool.allocate(SIZE - 1, True)) == SIZE - 1
    assert len(pool.allocate(0, False)) == 0
    gc.collect()
    assert len(pool) == 3  # of 0 bytes the one is gone for good, the other size was not needed again


def test_memory_that_will_not_be_wanted_again_is_not_kept() -> None:
    pool = BufferPool()
    pool.allocate(SIZE, False)
    gc.collect()
    assert len(pool) == 0


def test_a_buffer_outlives_its_pool() -> None:
    view = memoryview(BufferPool().allocate(SIZE, True))
    gc.collect()
    view[:] = b"a" * SIZE
    assert bytes(view) == b"a" * SIZE


def test_more_than_there_is_cannot_be_had() -> None:
    with pytest.raises(MemoryError):
        BufferPool().allocate(1 << 62, True)


def test_its_memory_is_counted_where_python_counts_memory() -> None:
    tracemalloc.start()
    try:
        view = memoryview(BufferPool().allocate(10 << 20, False))
        assert tracemalloc.get_traced_memory()[0] >= 10 << 20
        del view
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 1 << 20
    finally:
        tracemalloc.stop()


def test_threads_that_take_hold_and_drop_see_only_their_own_bytes() -> None:
    pool = BufferPool()
    handed: list[tuple[int, memoryview]] = []  # from thread to thread
    wrong: list[int] = []

    def work(number: int) -> None:
        chance = random.Random(number)
        mine: list[tuple[int, memoryview]] = []
        for turn in range(4000):
            mark = (number * 4000 + turn) % 251
            view = memoryview(pool.allocate(64, True))
            view[:] = bytes([mark]) * 64
            mine.append((mark, view))
            del view
            if handed and chance.random() < 0.3:
                with suppress(IndexError):
                    mine.append(handed.pop())
            while len(mine) > chance.randrange(12):
                mark, seen = mine.pop(chance.randrange(len(mine)))
                if bytes(seen) != bytes([mark]) * 64:
                    wrong.append(number)
                if chance.random() < 0.2:
                    handed.append((mark, seen))
                del seen

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

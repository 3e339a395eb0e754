"""This process's arguments in the list of processes."""

import os

ARGUMENTS_BEGIN, ARGUMENTS_END = 45, 46
"""Which fields of /proc/self/stat are arg_start and arg_end, counted after the name, which may hold spaces."""


def hide(argument: str, secret: str) -> bool:
    """Overwrite a secret at the end of an argument in the system's copy. Return False if that is not possible.

    Linux says where they are, and lets a process write its own memory (proc(5): /proc/pid/stat, /proc/pid/mem). The
    interpreter has copies of its own. Other systems have no such way.
    """
    whole, length = os.fsencode(argument), len(os.fsencode(secret))
    try:
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        begin, end = int(fields[ARGUMENTS_BEGIN]), int(fields[ARGUMENTS_END])
        with open("/proc/self/mem", "r+b", buffering=0) as memory:
            memory.seek(begin)
            at = begin
            for shown in memory.read(end - begin).split(b"\0"):
                at += len(shown) + 1
                if shown == whole:
                    memory.seek(at - 1 - length)
                    memory.write(b"x" * length)
        with open("/proc/self/cmdline", "rb") as file:
            covered = whole[: len(whole) - length] + b"x" * length
            return covered in file.read().split(b"\0")
    except (OSError, ValueError, IndexError, OverflowError):
        return False

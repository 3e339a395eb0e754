"""ExitStatus: what the program ends with."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """The statuses that a shell sees; boundary warnings never change them."""

    OK = 0
    ERROR = 1  # a log that cannot be read to its end, or text that cannot be written
    USAGE = 2  # the command line is wrong, or names an output over what must stay; or check, diff or find failed
    HUNG_UP = 129  # signals: 128 and the signal's number, as shells have it
    INTERRUPTED = 130  # Ctrl-C
    QUIT = 131
    TERMINATED = 143

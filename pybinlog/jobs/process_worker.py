"""A process of ProcessJobs: it calls functions that come on its standard input, pickled, and writes their results.

Only pybinlog writes to that pipe. The process ends when its input does, even in the middle of a call.
"""

import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue
from typing import Any


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal: the other one ends this
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a print does not meet the answers
    calls: SimpleQueue[tuple[Any, Any]] = SimpleQueue()

    def read() -> None:
        try:
            while True:
                calls.put(pickle.load(sys.stdin.buffer))
        finally:
            os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    while True:
        function, item = calls.get()
        answer: tuple[Any, Exception | None]
        try:
            answer = function(item), None
        except Exception as error:
            answer = None, error
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()

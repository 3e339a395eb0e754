"""LookTo: how far pybinlog looks for later changes of the rows that it takes back."""

import os
from collections.abc import Iterator

import click

from pybinlog.cli.inputs import Inputs
from pybinlog.cli.options.values import ParsedValue, log_position
from pybinlog.source.log_series import LogName, by_number

NOWHERE = ("none", 0)
"""The value of --look-to=none."""


LOOK_TO = ParsedValue("LOG:POSITION", lambda text: NOWHERE if text == "none" else log_position(text))


class LookTo:
    """The given logs as `spans`, and the logs after them as `later_spans`.

    Without a limit, these are all logs that follow the last one in its folder, or on its server. Raise click.UsageError
    for a limit in a log that is not among them.
    """

    def __init__(self, inputs: Inputs, limit: tuple[str, int] | None, *, looks: bool = True):
        from pybinlog.feed.span import Span, spans  # needs the kernel; LOOK_TO is for man pages, too

        self.looks = looks and limit != NOWHERE
        self._asked = looks
        self._limit = limit if self.looks else None
        names = list(inputs.names)
        self.later = later_logs(inputs) if self.looks else []
        self._unread = not looks and (inputs.live or bool(later_logs(inputs)))
        if self._limit is not None:
            log = self._limit[0]
            everything = [*names, *self.later]
            last = next((place for place, name in enumerate(everything) if log in (name, LogName.of(name).base)), None)
            if last is None or last < len(names) - 1:
                raise click.UsageError(f"--look-to: {log} is neither the last log nor a later one beside it.")
            self.later = self.later[: last + 1 - len(names)]
        self.spans = spans(names)
        self.later_spans = spans(self.later)
        if self._limit is not None:
            of = self.later_spans or self.spans
            of[-1] = Span(of[-1].names, stop=self._limit[1])

    def notes(self) -> Iterator[str]:
        """Yield how far pybinlog looked, for the head."""
        if not self._asked:
            if self._unread:
                last = self.spans[-1].names[-1]
                yield f"the logs after {last} are not read: triggers that they create run with these statements"
            return
        if not self.looks:
            yield "later changes of the same rows were not looked for (--look-to=none)"
        elif self._limit is not None:
            yield f"later changes of the same rows were looked for up to {self._limit[0]}, at {self._limit[1]}"
        else:
            last = (self.later_spans or self.spans)[-1].names[-1]
            yield f"later changes of the same rows were looked for to the end of {last}"


def later_logs(inputs: Inputs) -> list[str]:
    """Return the logs after the last of those that are given: in its folder, or on its server."""
    last = inputs.names[-1]
    request = getattr(last, "request", None)
    if request is not None:
        from dataclasses import replace

        from pybinlog.cli.server.server_logs import logs_after
        from pybinlog.replication.server_log import ServerLog

        there = last.options  # type: ignore[attr-defined]
        names: list[str] = [
            ServerLog(there, replace(request, log=log, position=4)) for log in logs_after(there, request.log)
        ]
        return names
    name = LogName.of(last)
    if name.number is None or "://" in last:
        return []
    folder = os.path.dirname(last)
    found: dict[int, str] = {}
    for file in os.listdir(folder or "."):
        path = os.path.join(folder, file)
        other = LogName.of(path)
        if other.series == name.series and other.number is not None and other.number > name.number:
            found.setdefault(other.number, path)
    return sorted(found.values(), key=by_number)

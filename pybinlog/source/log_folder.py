"""LogFolder: the logs of a folder, among whatever else lies there.

A data folder of MariaDB has `aria_log.00000001` beside `mariadb-bin.000001`, a replica's has its own logs and its relay
logs, a backup has logs and their compressed copies. So a name alone does not make a log.
"""

from collections.abc import Callable, Iterable

from pybinlog.errors import SourceError
from pybinlog.kernel.base.event import ENCRYPTED_MAGIC, MAGIC, MAGIC_LENGTH
from pybinlog.source.foreign_form import INNODB_HINT, INNODB_SUFFIX
from pybinlog.source.index import read_index
from pybinlog.source.log_series import LogName
from pybinlog.source.remote import is_url

INDEX_SUFFIX = ".index"
MOST_LOOKED_AT = 8
"""Files of a series that are opened until one of them is a log: a store may have thousands that are none."""
MOST_NAMED = 3


class SeveralSeriesError(SourceError):
    """A folder holds logs of several series, and its reader takes one."""


class LogFolder:
    """The logs among the files of a folder, which are given by their paths or URLs.

    If the folder has one index file, the logs are those that it lists. Otherwise they are the files that are named as
    logs (`NAME.000001`, compressed ones too), of each series that has a log: a file that begins with a log's magic
    after inflation, or with that of an encrypted log. So a damaged log between others is not omitted: its reader
    raises an error. If no file is named as a log, all files with the magic are logs. Without `opens`, the files that
    are named as logs are logs if they are of one series, and no file is opened.

    `logs` is in the order of the index, or by series and number. `left_out` has a sentence for each reason. Raise
    SourceError if there is no log.
    """

    def __init__(self, path: str, files: Iterable[str], wanted: Callable[[str], bool], *, opens: bool):
        self.path = path
        self.left_out: list[str] = []
        everything = list(files)
        self._files = [file for file in everything if wanted(file)]
        self._names = {file: LogName.of(file) for file in everything}
        self._numbered = sorted(
            (file for file in self._files if self._names[file].number is not None),
            key=lambda file: (*self._names[file][:2], file),
        )
        series = {self._names[file].series for file in self._numbered}
        self._opens = opens or len(series) != 1
        self._has_log: dict[str, bool] = {} if self._opens else dict.fromkeys(series, True)
        """The series that were looked at."""
        indexes = [index for file in everything if (index := self._index(file, everything))]
        self.logs = self._listed(*indexes[0], wanted) if len(indexes) == 1 else self._judged()
        if not self.logs:
            raise SourceError(
                "the folder contains no binary logs" + "".join(f"; {sentence}" for sentence in self.left_out),
                file=path,
                hint=INNODB_HINT
                if any(file.endswith(INNODB_SUFFIX) for file in everything)
                else "Logs have names like binlog.000001; you may also name the files",
            )

    @property
    def series(self) -> list[list[str]]:
        """The logs of each series, in order."""
        found: dict[str, list[str]] = {}
        for log in self.logs:
            found.setdefault(self._name(log).series, []).append(log)
        return list(found.values())

    @property
    def several(self) -> str:
        """A sentence that names the series."""
        series = "; ".join(
            base_of(logs[0]) if len(logs) == 1 else f"{base_of(logs[0])} to {base_of(logs[-1])}" for logs in self.series
        )
        return f"the folder holds logs of {len(self.series)} series: {series}"

    def _name(self, log: str) -> LogName:
        """Return the name of a log, which an index may list without a file."""
        return self._names.get(log) or LogName.of(log)

    def _index(self, file: str, everything: list[str]) -> tuple[str, list[str]] | None:
        """Return the path and base names of an index file that lists logs of this folder."""
        if not file.endswith(INDEX_SUFFIX):
            return None
        try:
            bases = [base_of(name) for name in read_index(file)]
        except SourceError:
            return None
        there = {name.base for name in self._names.values()}
        return (file, bases) if any(LogName.of(base).base in there for base in bases) else None

    def _listed(self, index: str, bases: list[str], wanted: Callable[[str], bool]) -> list[str]:
        """Return the logs that an index lists; the only copy of a log may have been compressed after that."""
        copies = {self._names[file].base: file for file in sorted(self._files, reverse=True)}
        folder, files = index.removesuffix(base_of(index)), set(self._files)
        logs = []
        for base in bases:
            path = folder + base
            logs.append(path if path in files else copies.get(LogName.of(base).base, path))
        listed = {self._name(log).base for log in logs}
        others = [
            file
            for file in self._numbered
            if self._names[file].base not in listed and self._has_log_of(self._names[file].series)
        ]
        self._leave_out(others, f"{base_of(index)} does not list them")
        return [log for log in logs if wanted(log)]

    def _judged(self) -> list[str]:
        """Return the logs by their magic."""
        logs: dict[tuple[str, int | None], str] = {}
        others, copies = [], []
        for file in self._numbered:  # a log comes before its compressed copies
            name = self._names[file]
            if not self._has_log_of(name.series):
                others.append(file)
            elif logs.setdefault((name.series, name.number), file) is not file:
                copies.append(file)
        self._leave_out(others, "they are not binary logs")
        self._leave_out(copies, "the log itself is there, too")
        if logs and (is_url(self.path) or not self._opens):
            return list(logs.values())  # to open every file may take long
        others = [file for file in self._files if self._names[file].number is None and begins_as_log(file)]
        if not logs:
            return sorted(others)
        self._leave_out(others, "their names have no number as binlog.000001 has")
        return list(logs.values())

    def _has_log_of(self, series: str) -> bool:
        """Return True if a file of the series is a log."""
        found = self._has_log.get(series)
        if found is None:
            files = [each for each in self._numbered if self._names[each].series == series]
            self._has_log[series] = found = any(begins_as_log(each) for each in files[:MOST_LOOKED_AT])
        return found

    def _leave_out(self, files: list[str], reason: str) -> None:
        if files:
            names = ", ".join(map(base_of, files[:MOST_NAMED]))
            more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
            self.left_out.append(f"left out, since {reason}: {names}{more}")


def begins_as_log(name: str) -> bool:
    """Return True if a file begins with a log's magic, after inflation.

    A file that cannot be read counts as a log if it is named as one: its reader says what is wrong.
    """
    from pybinlog.source import open_source

    try:
        with open_source(name, head=True) as source:
            return source.read_up_to(MAGIC_LENGTH) in (MAGIC, ENCRYPTED_MAGIC)
    except SourceError:
        return LogName.of(name).number is not None


def base_of(path: str) -> str:
    return path.rpartition("/")[2]

"""A Spark session for one command: started quietly, fit for pybinlog, and stopped in the end."""

import atexit
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pybinlog.distribution import how_to_install
from pybinlog.errors import BinlogError

WATCH = 3.0
"""Seconds between two looks into the log."""
WAITS = "Initial job has not accepted any resources"
LOG_LINES = 5
"""Lines of Spark's own log that an error shows."""


class SparkError(BinlogError):
    """Spark cannot do the job: it is not installed, does not start, or its executors fail."""


@contextmanager
def spark_session(master: str | None, app_name: str, warn: Callable[[str], None] | None = None) -> Iterator[Any]:
    """Return a SparkSession, which is stopped in the end unless it was there before.

    `master` None is what spark-submit or Spark's own configuration set, else `local[*]`. What Spark logs goes to a file
    that are shown only if something fails; `warn` is called where the cluster gives nothing to run on. SparkError
    where PySpark or Java is missing, or Spark does not start. A process has one JVM, which a later session runs in,
    too.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise SparkError("--spark needs PySpark 4, which is not installed", hint=how_to_install("spark")) from error
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted:
        check_java()
    silence()
    log = SparkLog(None if submitted else java_log())
    session = start(master, app_name, submitted, log)
    over = threading.Event()
    if warn is not None and not submitted:
        threading.Thread(target=watch, args=(log, warn, over), daemon=True).start()
    try:
        yield session
    except SparkError as error:
        if error.hint is None:
            error.hint = log.last_errors()
        raise
    finally:
        over.set()
        stop(session)


@cache
def java_log() -> Path:
    """Return the file for what this process's Java says; it is removed when the process ends."""
    descriptor, name = tempfile.mkstemp(prefix="pybinlog-spark-", suffix=".log")
    os.close(descriptor)
    atexit.register(Path(name).unlink, missing_ok=True)
    return Path(name)


def launched(conf: Any) -> Any:
    """Return the way to a new JVM, which ends with this process."""
    from pyspark.java_gateway import launch_gateway

    with java_log().open("ab") as file, launch_ends_whole():
        # PySpark passes this argument to Popen: it redirects the output of Java
        gateway = launch_gateway(conf, {"stderr": file, "stdout": file})  # type: ignore[no-untyped-call]
    atexit.register(end_java, gateway)
    return gateway


def end_java(gateway: Any) -> None:
    with suppress(Exception):
        gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(10)
    except Exception:
        gateway.proc.kill()


@contextmanager
def launch_ends_whole() -> Iterator[None]:
    """End the Java that is being launched if a signal ends the launch.

    It would stay for good: PySpark removes the folder in which it was to say where it listens, and it dies of that
    before it looks whether its parent is there, but its other threads live on.
    """
    java_gateway: Any = import_module("pyspark.java_gateway")
    begun: list[subprocess.Popen[bytes]] = []

    class Begun(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **named: Any):
            begun.append(self)
            super().__init__(*arguments, **named)

    popen = java_gateway.Popen
    java_gateway.Popen = Begun
    try:
        yield
    except BaseException:
        for process in begun:
            with suppress(AttributeError):  # it was not begun yet
                process.kill()
                process.wait()
        raise
    finally:
        java_gateway.Popen = popen


class SparkLog:
    """Spark's log since this session began; empty if Spark logs to another place than `path`."""

    def __init__(self, path: Path | None):
        self._path = path
        self._begin = 0 if path is None else path.stat().st_size

    def text(self) -> str:
        if self._path is not None:
            with suppress(OSError):
                return self._path.read_bytes()[self._begin :].decode("utf-8", "replace")
        return ""

    def last_errors(self) -> str | None:
        """Return its end, if it contains errors."""
        lines = dict.fromkeys(line.rstrip() for line in self.text().splitlines())
        telling = [line for line in lines if " ERROR " in line or "Exception:" in line or "Error:" in line]
        last = "\n".join(f"  {line[:300]}" for line in telling[-LOG_LINES:])
        return f"Spark's log has:\n{last}" if telling else None


def start(master: str | None, app_name: str, submitted: bool, log: SparkLog) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=submitted)
    conf.setAppName(app_name)
    # the pages of one command have no reader; its own configuration may switch them on
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        conf.setIfMissing(name, "false")
    configured = conf.get("spark.master", None) or os.environ.get("MASTER") or configured_master()
    chosen = master or configured or "local[*]"
    if master is not None or configured is None:
        conf.set("spark.master", chosen)
    if chosen.startswith("local"):
        # the workers are children of this process: the same interpreter, with the same packages
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if not submitted:
            # no other machine takes part, and a name that cannot be resolved does no harm
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            conf.setIfMissing("spark.driver.host", "127.0.0.1")
    try:
        # SparkContext cleans up after itself if it fails
        with own_interrupt():
            is_there = submitted or SparkContext._gateway is not None  # PySpark keeps that of an earlier session
            context = SparkContext(conf=conf, gateway=None if is_there else launched(conf))
        try:
            if submitted:
                context.setLogLevel("ERROR")
            return SparkSession(context)
        except BaseException:
            stop(context)
            raise
    except Exception as error:
        cause = text_of(error).strip().partition("\n")[0].rstrip(" .") or type(error).__name__
        raise SparkError(f"Spark could not be started (master {chosen}): {cause}", hint=log.last_errors()) from error


@contextmanager
def own_interrupt() -> Iterator[None]:
    """Keep the effect of an interrupt as it was.

    SparkContext has it ask Java to cancel all jobs, from inside whatever the main thread does: where that waits for an
    answer of Java's, each of the two takes the other's.
    """
    main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if main else None
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def watch(log: SparkLog, warn: Callable[[str], None], over: threading.Event) -> None:
    """Say once that the job waits, which it would do forever."""
    while not over.wait(WATCH):
        if WAITS in log.text():
            warn(
                "Spark waits, because the cluster has given it no executor yet. Check that its workers run, and have "
                "the cores and the spark.executor.memory (1g by default) that the job needs."
            )
            return


def configured_master() -> str | None:
    """Return the master of conf/spark-defaults.conf of this Spark; spark-submit reads that too late."""
    folder = os.environ.get("SPARK_CONF_DIR") or os.path.join(os.environ.get("SPARK_HOME", ""), "conf")
    with suppress(OSError), open(os.path.join(folder, "spark-defaults.conf"), encoding="utf-8") as file:
        for line in file:
            words = line.replace("=", " ", 1).split()
            if len(words) > 1 and words[0] == "spark.master":
                return words[1]
    return None


def check_java() -> None:
    """Raise SparkError if there is no Java to start; whether it is new enough shows then."""
    home = os.environ.get("JAVA_HOME")
    if home and not os.access(os.path.join(home, "bin", "java"), os.X_OK):
        raise SparkError(f"--spark needs Java, and JAVA_HOME={home} holds none", hint="It needs Java 17 or later")
    if not home and shutil.which("java") is None:
        raise SparkError(
            "--spark needs Java, and there is none on the path",
            hint="Install Java 17 or later (for example openjdk-17-jre-headless), or set JAVA_HOME",
        )


def stop(session: Any) -> None:
    """End a session or a context, whether Java is still there or not."""
    with suppress(Exception):
        session.stop()


@cache
def silence() -> None:
    """Silence py4j: it also raises the errors that it logs, some under the root logger; and a signal that has come is
    not news.

    Nor is it that Java is gone already when a context stops, or before its accumulators are read to the end: a signal
    may have come to both, even while it starts.
    """
    import py4j
    from pyspark.accumulators import UpdateRequestHandler

    sources = tuple(py4j.__path__)

    def is_news(record: logging.LogRecord) -> bool:
        interrupt = record.exc_info and isinstance(record.exc_info[1], KeyboardInterrupt)
        return not interrupt and not record.pathname.startswith(sources)

    handle = UpdateRequestHandler.handle

    def handle_to_the_end(self: UpdateRequestHandler) -> None:
        with suppress(EOFError):
            handle(self)

    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(is_news)
    warnings.filterwarnings("ignore", "Unable to cleanly shutdown", RuntimeWarning)
    UpdateRequestHandler.handle = handle_to_the_end  # type: ignore[method-assign]


def text_of(error: BaseException) -> str:
    """Return an error's message, its first cause first. One of Java's asks Java for that, which may be gone."""
    try:
        exception = getattr(error, "java_exception", None)
        if exception is None:
            return str(error)
        told = [exception.toString()]
        while exception.getCause() is not None:
            exception = exception.getCause()
            told.insert(0, exception.toString())
        return "\n".join(told)
    except Exception:
        return f"{type(error).__name__}, and Spark is gone"

"""For all tests: which stay together in one of several processes (pytest-xdist), and what their processes inherit."""

import gc
import importlib
import os
import re
import signal
import sys
from collections.abc import Generator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

GROUPS = {
    "tests/faults/test_memory_bound.py": "memory",
    "tests/mirror/test_kills.py": "kills",
    "tests/mirror/test_refusals.py": "mirror",
    "tests/mirror/test_semi_sync.py": "mirror",
    "tests/parity/test_filtered_run.py": "server",
    "tests/parity/test_mariadb.py": "mariadb",
    "tests/recover/test_game.py": "recover",
    "tests/recover/test_run.py": "recover",
    "tests/replication/test_mariadb.py": "live-mariadb",
    "tests/replication/test_mysql.py": "live-mysql",
    "tests/scale/test_memory.py": "inflated",
    "tests/scale/test_wrap.py": "wrap",
    "tests/export/test_rebuilt_tables.py": "rebuilt",
    "tests/spark/test_as_of.py": "spark",
    "tests/spark/test_catalog.py": "spark",
    "tests/spark/test_cluster.py": "cluster",
    "tests/spark/test_change_data_capture.py": "spark",
    "tests/spark/test_export.py": "spark",
    "tests/spark/test_installed.py": "wheel",
    "tests/spark/test_keyring.py": "spark",
    "tests/spark/test_on_spark.py": "spark",
    "tests/spark/test_program.py": "spark",
    "tests/spark/test_rebuilt_tables.py": "spark",
    "tests/spark/test_register.py": "spark",
    "tests/spark/test_source.py": "spark",
    "tests/spark/test_stream.py": "spark",
    "tests/spark/test_stream_data_loss.py": "spark",
    "tests/spark/test_stream_server.py": "spark",
    "tests/spark/test_worker.py": "spark",
}
"""Files whose tests share what takes long to make, or that take long themselves: "spark" is the one Spark session."""


QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""For processes of Java that live some seconds: most of their time would be the compiler's, and the verifier's."""

WORKER_START = Path(__file__).parent / "spark" / "worker_start"
"""Python processes import the module in it when they start; it is for those of Spark."""

CLASS_ARCHIVE = Path(sys.prefix) / "spark.jsa"
"""`make test` has tests/spark/class_archive.py make it."""


def quick_java() -> str:
    """Return the options for the processes that load Spark's classes: from the archive if it was made."""
    archived = f" -XX:SharedArchiveFile={CLASS_ARCHIVE} -Xlog:disable -Xlog:all=error:stderr"
    return QUICK_JAVA + (archived if CLASS_ARCHIVE.exists() and CLASS_ARCHIVE.stat().st_size else "")


settings.register_profile("short", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("short"), max_examples=1000)
settings.load_profile("short")


def pytest_configure() -> None:
    start_spark_quickly()
    let_signals_through()


def start_spark_quickly() -> None:
    """Set what Spark's driver, what makes its command line, a cluster's processes and those of Python start with."""
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", QUICK_JAVA)
    for name in ("SPARK_SUBMIT_OPTS", "SPARK_DAEMON_JAVA_OPTS"):
        os.environ.setdefault(name, quick_java())
    places = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if str(WORKER_START) not in places:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(WORKER_START), *filter(None, places)])


def let_signals_through() -> None:
    """A shell has its background jobs ignore interrupts, nohup another signal: what tests start must not inherit that.

    Nor does it inherit the functions that handle them here.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else lambda *_: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None]:
    """Keep thousands of tests out of garbage collection, and have it look less often: it hardly finds any."""
    gc.disable()
    try:
        import_in_turn(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 100)
        gc.enable()


def import_in_turn(config: pytest.Config) -> None:
    """Have each process of pytest-xdist begin with other files: it finds the byte code that others made of the rest."""
    own: dict[str, Any] | None = getattr(config, "workerinput", None)
    if own is None:
        return
    places = [Path(argument.partition("::")[0]) for argument in config.args]
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("test_*.py")))
    begin = len(files) * int(own["workerid"].removeprefix("gw")) // own["workercount"]
    for file in files[begin:] + files[:begin]:
        with suppress(Exception, pytest.skip.Exception):  # pytest imports it again, and tells what is wrong
            importlib.import_module(".".join(file.resolve().relative_to(config.rootpath).with_suffix("").parts))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Groups come first: what takes longest should not be what all others wait for in the end."""
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in GROUPS)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Have a process of pytest-xdist send one report of a test that passes, not three, nor that it begins and ends.

    Most tests take less time than all these messages. Nor does it send keywords, which nothing reads.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            report.keywords = {}
            item.ihook.pytest_runtest_logreport(report=report)
    return True


FOLDERS = count(1)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder. pytest's own fixture of this name also keeps a link to the last one, which takes a millisecond."""
    path = tmp_path_factory.getbasetemp() / f"{re.sub('[^a-zA-Z0-9]', '_', request.node.name)[:30]}{next(FOLDERS)}"
    path.mkdir(0o700)
    return path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores: those that wait for Spark leave theirs to others."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.scheduler import FileScheduler

    config.option.loadscopereorder = False
    return FileScheduler(config, log)

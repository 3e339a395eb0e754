"""A wheel in a fresh environment: Spark finds the data source there by itself.

PYBINLOG_WHEEL names a wheel of this very version that was built already; without it one is built, of the kernel that
lies in place where there is one.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from pybinlog.cli.program import COMMANDS
from tests.conftest import WORKER_START, quick_java
from tests.corpus import scenarios
from tests.views.expected import view

pytest.importorskip("pyspark")

ROOT = Path(__file__).parents[2]
BASIC = next(found for found in scenarios() if found.name == "mysql-9.7/row-basic")
SCRIPT = """
import sys
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.codegen.wholeStage", "false")
    .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    .getOrCreate()
)
frame = spark.read.format("binlog").option("view", "rows").load(sys.argv[1])
print(frame.count())

import pybinlog

print(pybinlog.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if "PYBINLOG_WHEEL" in os.environ:
        return Path(os.environ["PYBINLOG_WHEEL"])
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    (source / "docs").mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "docs/manual.py"):
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(ROOT / "pybinlog", source / "pybinlog", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    # Files in place are compiled already; without them, the build compiles.
    built = source / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    for module in (ROOT / "pybinlog" / "kernel").rglob("*.so"):
        target = built / module.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(module, target)
    (folder / "setup.cfg").write_text("[bdist_wheel]\ncompression = stored\n")  # to compress takes longer than all else
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--wheel-dir", str(folder), str(source)),
        ],
        env={**os.environ, "DIST_EXTRA_CONFIG": str(folder / "setup.cfg")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_module_that_spark_looks_for(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "pyspark_binlog/__init__.py" in names
    assert "pybinlog/spark/source.py" in names
    assert not [name for name in names if "/top_level/" in name]
    assert {name.partition("/")[0] for name in names if not name.startswith("pybinlog_mysql-")} == {
        "pybinlog",
        "pyspark_binlog",
    }


def test_the_wheel_installs_the_man_pages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    pages = {name.rpartition("/")[2] for name in names if ".data/data/share/man/man1/" in name}
    assert pages == {"pybinlog.1", *(f"pybinlog-{name}.1" for name in COMMANDS)}


def test_the_data_source_is_there_without_being_registered(wheel: Path, tmp_path: Path) -> None:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    packages = next((tmp_path / "venv" / "lib").glob("python*/site-packages"))
    # Of this environment's packages all but pybinlog: an editable install is not seen through a line in a .pth file.
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--no-compile",
            "--target",
            str(packages),
            str(wheel),
        ],
        check=True,
    )
    done = subprocess.run(
        [str(python), "-c", SCRIPT, str(BASIC.folder)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "PYSPARK_PYTHON": str(python),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": quick_java(),
            "PYTHONPATH": str(WORKER_START),
            **java(),
        },
    )
    assert done.returncode == 0, done.stderr
    count, place = done.stdout.split()
    assert int(count) == len(view(BASIC.logs, "rows"))
    assert Path(place).is_relative_to(packages)


def java() -> dict[str, str]:
    return {name: os.environ[name] for name in ("JAVA_HOME",) if name in os.environ}

"""The classes that Spark loads, in an archive that Java maps (class data sharing): a JVM starts in half the time.

    python -m tests.spark.class_archive .venv/spark.jsa

The tests start some thirty JVMs, and each would parse and check the same ten thousand classes. Java does not use an
archive that another version of Java or other jars made.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

from tests.conftest import QUICK_JAVA

SESSION = """
import sys
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

class Reader(DataSourceReader):
    def read(self, partition):
        yield 1, "a"

class StreamReader(DataSourceStreamReader):
    def initialOffset(self):
        return {"at": 0}
    def latestOffset(self):
        return {"at": 1}
    def partitions(self, start, end):
        return [InputPartition(0)]
    def read(self, partition):
        yield 1, "a"

class Source(DataSource):
    @classmethod
    def name(cls):
        return "archived"
    def schema(self):
        return "n bigint, t string"
    def reader(self, schema):
        return Reader()
    def streamReader(self, schema):
        return StreamReader()

session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
session.dataSource.register(Source)
rows = session.read.format("archived").load()
rows.createOrReplaceTempView("rows")
session.sql("SELECT t, count(*) FROM rows JOIN range(3) ON n = id WHERE t LIKE 'a%' GROUP BY t ORDER BY t").collect()
session.sparkContext.parallelize(range(4), 2).mapPartitions(list).collect()
rows.write.parquet(sys.argv[1] + "/parquet")
session.read.parquet(sys.argv[1] + "/parquet").count()
stream = session.readStream.format("archived").load().writeStream.trigger(availableNow=True).format("parquet")
stream.option("checkpointLocation", sys.argv[1] + "/state").start(sys.argv[1] + "/out").awaitTermination()
session.stop()
"""


def main(archive: Path) -> None:
    """Run a session that loads what others will load, and have Java write the archive as it ends.

    Without Java the archive is empty.
    """
    begun = archive.with_name(archive.name + ".begun")
    begun.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": f"{QUICK_JAVA} -XX:ArchiveClassesAtExit={begun} -Xlog:disable",
        }
        script = Path(folder, "session.py")
        script.write_text(SESSION)
        # It runs Java, and Java Python: so Java is what ends last.
        submit = Path(pyspark.__file__).with_name("bin") / "spark-submit"
        subprocess.run(
            [str(submit), "--master", "local[2]", str(script), folder], env=environment, cwd=folder, capture_output=True
        )
    begun.touch()
    begun.replace(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())

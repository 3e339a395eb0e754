"""Have the Python processes of Spark start quickly.

They get PySpark from its installation, not from the archive of sources that Spark puts first: each process would
compile these. Spark's daemon imports what its processes need before it forks them.

Python imports this module when it starts, if its folder is in PYTHONPATH.
"""

import gc
import importlib
import os
import sys

ARCHIVES = "/pyspark.zip", "-src.zip"  # the second is Py4J's
if any(os.path.isdir(os.path.join(place, "pyspark")) for place in sys.path):
    sys.path[:] = [place for place in sys.path if not place.endswith(ARCHIVES)]
if "pyspark.daemon" in sys.orig_argv:
    for name in sys.orig_argv[sys.orig_argv.index("pyspark.daemon") + 1 :]:
        importlib.import_module(name)
    importlib.import_module("pybinlog.spark.source")
    gc.freeze()

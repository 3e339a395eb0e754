"""Import what Spark's Python processes need before they are forked: Spark's daemon imports it in each of them.

Python imports this module when it starts, if its folder is in PYTHONPATH.
"""

import gc
import importlib
import sys

if "pyspark.daemon" in sys.orig_argv:
    for name in sys.orig_argv[sys.orig_argv.index("pyspark.daemon") + 1 :]:
        importlib.import_module(name)
    importlib.import_module("pybinlog.spark.source")
    gc.freeze()

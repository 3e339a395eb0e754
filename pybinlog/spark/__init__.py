"""pybinlog on Spark: the dump and the check of many logs, fanned out, with the same bytes at the end.

pyspark is imported by `session` only, when a session is asked for; what runs on the executors needs none of it.
"""

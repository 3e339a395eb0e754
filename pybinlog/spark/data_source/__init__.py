"""The parts of the data source `binlog`; `spark/source.py` is its face."""

"""What the data source `binlog` is made of; `spark/source.py` is its face."""

"""Export: views of logs as files of a columnar or text format, one for each log."""

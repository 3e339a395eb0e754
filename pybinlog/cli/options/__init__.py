"""The options: declared once, and how their values are read."""

"""The text of a dump: the options, the text of each event, and its outputs."""

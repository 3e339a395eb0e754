"""The text of a dump: what is asked for, what each event says, and where it goes."""

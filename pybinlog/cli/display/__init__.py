"""What a terminal is shown: tables, pages, colours, progress."""

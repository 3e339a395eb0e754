"""Terminal output: tables, pages, colours, progress."""

"""The strings, spaces and comments of statements, read without making tokens."""

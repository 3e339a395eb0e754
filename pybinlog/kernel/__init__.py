"""Compiled hot loops: scanning, boundaries, text. Nothing here knows files, options or consoles."""

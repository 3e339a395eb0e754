"""Copies of a server's logs, byte for byte."""

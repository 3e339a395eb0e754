"""Conditions on the values of rows: bound to a table once, evaluated on each row image without Python."""

"""Tests of digests: as MySQL 9.7 has them."""

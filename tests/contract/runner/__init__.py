"""Feeds every case to the adapter of each language, compares, and reports; see ../README.md."""

"""Runs every case with the adapter of each language, compares the results, and reports; see ../README.md."""

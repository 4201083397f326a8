"""Runs the scenarios: the servers, the programs, the comparison."""

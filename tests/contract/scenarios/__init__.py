"""The scenarios, one file per theme: each has a `suite`."""

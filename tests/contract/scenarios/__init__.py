"""The scenarios, a file a theme: each has a `suite`."""

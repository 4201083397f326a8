"""What `make generate` writes from the definition in the core."""

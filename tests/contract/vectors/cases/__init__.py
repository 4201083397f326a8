"""The cases, a module for each file."""

import importlib

from .common import SETTINGS

__all__ = ["SETTINGS", "files"]

FILES = (
    "keys", "settings", "requests", "receipts", "replies", "misdirected", "headers", "webhooks", "explanations", "refused_requests",
    "amounts", "statuses",
)  # fmt: skip


def files():
    """The subject of each file, and its cases."""
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in FILES}
    return {name: (" ".join(module.__doc__.split()), module.entries()) for name, module in modules.items()}

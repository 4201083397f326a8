"""The cases, a module for each file."""

from . import (
    amounts,
    explanations,
    headers,
    keys,
    misdirected,
    receipts,
    refused_requests,
    replies,
    requests,
    settings,
    statuses,
    webhooks,
)
from .common import SETTINGS

__all__ = ["SETTINGS", "files"]


def files():
    """The subject of each file, and its cases."""
    modules = (
        keys,
        settings,
        requests,
        receipts,
        replies,
        misdirected,
        headers,
        webhooks,
        explanations,
        refused_requests,
        amounts,
        statuses,
    )
    return {module.__name__.rpartition(".")[2]: (" ".join(module.__doc__.split()), module.entries()) for module in modules}

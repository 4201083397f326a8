"""Finds the program `merchantpay`, which the package merchantpay-program contains."""

from __future__ import annotations

import importlib.metadata
import pathlib

MISSING = (
    "the program is not installed: install merchantpay_program-*.whl from the release's folder, "
    "or bindings/python/program from the project's folder"
)


def find() -> pathlib.Path | None:
    try:
        files = importlib.metadata.files("merchantpay-program")
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files or ():
        if file.name in ("merchantpay", "merchantpay.exe"):
            return pathlib.Path(str(file.locate())).resolve()
    return None

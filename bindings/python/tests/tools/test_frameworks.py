"""Runs the tests of the shops of examples/python/frameworks as their authors do."""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "python"


@pytest.mark.parametrize("framework", ["fastapi", "django"])
def test_framework_shop_passes_its_own_tests(tmp_path, framework):
    test = EXAMPLES / "frameworks" / f"test_{framework}_shop.py"
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)]
    run = subprocess.run(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert run.returncode == 0 and "3 passed" in run.stdout, run.stdout

"""Runs the code of the README as a merchant would."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
TESTS = re.findall(r"^```python pytest\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def test_the_readme_has_code():
    assert len(BLOCKS) >= 5 and README.read_text().count("```python\n") == len(BLOCKS)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_readmes_code_runs(sandbox, tmp_path, number):
    program = tmp_path / "block.py"
    program.write_text(BLOCKS[number])
    journal = tmp_path / "payments.db"
    subprocess.run([sys.executable, "-m", "merchantpay", "journal", "init", "--journal", journal], check=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MERCHANTPAY_")}
    environment = {**inherited, **sandbox.environment, "PYTHONIOENCODING": "utf-8", "MERCHANTPAY_JOURNAL": str(journal)}
    ran = subprocess.run([sys.executable, program], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=60)
    assert ran.returncode == 0, ran.stderr


def test_the_readmes_tests_pass(tmp_path):
    (tmp_path / "test_shop.py").write_text("\n".join(TESTS))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0 and "3 passed" in ran.stdout, ran.stdout + ran.stderr

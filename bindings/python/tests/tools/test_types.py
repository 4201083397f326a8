"""The types are complete and correct: mypy --strict and pyright accept the installed package."""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "python"
SMALL = [EXAMPLES / name for name in ("first.py", "frameworks/fastapi_shop.py")]
PROGRAM = pathlib.Path(__file__).with_name("typed_program.py")


def check(folder, *arguments):
    # The checkers run outside the source tree, so that they check the installed package. pyright finds the
    # interpreter on the PATH, and node in its Python package.
    env = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = subprocess.run([sys.executable, "-m", *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("version", ["3.10", f"{sys.version_info[0]}.{sys.version_info[1]}"])
def test_mypy_strict(tmp_path, version):
    check(tmp_path, "mypy", "--strict", "--python-version", version, "-p", "merchantpay")
    check(tmp_path, "mypy", "--strict", "--warn-unused-ignores", PROGRAM, *SMALL)


def test_pyright_strict(tmp_path):
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": true}')
    for program in (PROGRAM, *SMALL):
        (tmp_path / program.name).write_text(program.read_text())
    check(tmp_path, "pyright", "--pythonpath", sys.executable, ".")
    assert "completeness score: 100%" in check(tmp_path, "pyright", "--ignoreexternal", "--verifytypes", "merchantpay")

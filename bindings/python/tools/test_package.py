"""Installs the wheels as a new user does; for tools/release/test-packages."""

import pathlib
import shutil

from package_user import ROOT, User, need, need_paid, packed, run


def test_python(archives, work, settings):
    wheels = packed(archives, "python", ROOT / "bindings/python/tools/wheel", archives / "python", "linux-x86_64")
    for wheel in wheels.glob("*.whl"):
        names = run(["unzip", "-Z1", wheel])
        for file in ("/licenses/LICENSE-THIRD-PARTY\n", "/sboms/merchantpay.cdx.json\n"):
            need(file in names, f"{wheel} lacks {file}:\n{names}")
    with User(settings, archives) as user:
        user.environment["PATH"] = f"{pathlib.Path(shutil.which('python3')).parent}:{user.environment['PATH']}"
        # Another program may already use the port that the page names.
        printed, took = user.follow(
            "bindings/python/README.md", {"python": "pay.py"}, [("merchantpay sandbox", "merchantpay sandbox --port 0")]
        )
        need_paid(printed, 1)
    return took


PARTS = {"python": test_python}

"""Installs the packages as a new user does; for tools/release/test-packages."""

import json
import pathlib
import shutil

from package_user import ROOT, User, need, need_paid, packed, run


def test_node(archives, work, settings):
    packages = packed(archives, "node", ROOT / "bindings/node/tools/package", archives, "linux-x86_64")
    for package in packages.glob("*.tgz"):
        manifest = json.loads(run(["tar", "-xOf", package, "package/package.json"]))
        need("scripts" not in manifest, f"{package} has scripts")
        names = run(["tar", "-tf", package])
        is_addon = manifest["name"].startswith("@")
        needed = ("LICENSE-THIRD-PARTY", "merchantpay.cdx.json") if is_addon else ("README.md", "index.d.ts", "testing.d.ts")
        for file in ("LICENSE-APACHE", "LICENSE-MIT", *needed):
            need(f"package/{file}\n" in names, f"{package} lacks {file}:\n{names}")
    with User(settings, archives) as user:
        user.environment["PATH"] = f"{pathlib.Path(shutil.which('node')).parent}:{user.environment['PATH']}"
        printed, took = user.follow("bindings/node/README.md", {"js": "pay.mjs"})
        need_paid(printed, 1)
    return took


PARTS = {"node": test_node}

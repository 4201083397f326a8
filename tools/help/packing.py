#!/usr/bin/env python3
"""What the packages of Go, PHP and C# contain: the libraries of the archives of tools/release/dist. The same files become the same bytes.

tools/help/packing.py readme FILE   prints a page for a package
tools/help/packing.py zip FOLDER    writes FOLDER.zip
"""

import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

TARGETS = [line.split() for line in (ROOT / "tools/release/targets").read_text().splitlines() if not line.startswith("#")]
# The targets with a package: Rust's name of each, and its names for NuGet, Composer and Go.
PLATFORMS = {name: (rust, names) for name, rust, _, _, _, _, *names in TARGETS if "-" not in names}


def printed(*command):
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


VERSION = printed("tools/help/define", "MPAY_HEADER_VERSION").decode().strip()


def own(folder, left_out):
    """The committed files of a folder, by their names in it, without those that need the rest of the project."""
    names = printed("git", "ls-files", "-z", folder).decode().replace(f"{folder}/", "").strip("\0").split("\0")
    files = {name: (ROOT / folder / name).read_bytes() for name in names if not re.match(left_out, name)}
    return {**files, "README.md": readme(f"{folder}/README.md")}


def readme(page):
    """A page for a package, in which relative links lead to this version in the project's repository."""
    repository = re.search(r'^repository = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]

    def absolute(link):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[1]))
        return f"]({repository}/blob/v{VERSION}/{path}"

    return re.sub(r"\]\((?![a-z]+:|#)([^)#]+)", absolute, (ROOT / page).read_text()).encode()


def archived(archives):
    """Yields for each platform: its names, its unpacked archive, and its licences and its bill of materials by their names."""
    for target, (rust, names) in PLATFORMS.items():
        archive = pathlib.Path(archives, f"merchantpay-{VERSION}-{target}.{'zip' if target.startswith('windows') else 'tar.gz'}")
        if not archive.is_file():
            sys.exit(f"{archive} is missing: tools/release/dist {archives} {target}")
        with tempfile.TemporaryDirectory() as folder:
            shutil.unpack_archive(archive, folder)
            (unpacked,) = pathlib.Path(folder).iterdir()
            for header in ("merchantpay.h", "merchantpay.ffi.h", "merchantpay.json"):
                if (unpacked / "include" / header).read_bytes() != (ROOT / "include" / header).read_bytes():
                    sys.exit(f"{archive} is not of these sources: its {header} differs")
            papers = [pathlib.Path(folder, name) for name in ("LICENSE-THIRD-PARTY", "merchantpay.cdx.json")]
            printed("tools/release/papers", "merchantpay-capi", rust, *papers)
            yield names, unpacked, {paper.name: paper.read_bytes() for paper in papers}


def shared(unpacked):
    (library,) = [*unpacked.glob("bin/merchantpay.dll"), *unpacked.glob("lib/libmerchantpay.so.0")]
    return library.read_bytes()


def write(made, top, files, executable=()):
    """`files` are by their names in the folder `top`."""
    # Zip cannot store a time before 1980.
    date = max(time.gmtime(int(printed("tools/help/release-time")))[:6], (1980, 1, 1, 0, 0, 0))
    made.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(posixpath.normpath(f"{top}/{name}"), date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, content)
    print(f"{made.stat().st_size} {made}")


if __name__ == "__main__":
    if sys.argv[1] == "readme":
        sys.stdout.buffer.write(readme(sys.argv[2]))
    else:
        folder = pathlib.Path(sys.argv[2])
        files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        executable = [name for name, path in files.items() if os.access(path, os.X_OK)]
        write(pathlib.Path(f"{folder}.zip"), folder.name, {name: path.read_bytes() for name, path in files.items()}, executable)

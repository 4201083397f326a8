#!/usr/bin/env python3
"""Uses the NuGet package from a folder as a project does, and takes a payment. It is called by
tools/release/test-packages, or directly:

    bindings/dotnet/tools/test_package.py PACKAGE WORK SANDBOX    PACKAGE is a file of `package`, SANDBOX the program

This machine has neither NuGet nor MSBuild. This program does their work: it unpacks the package, copies the
files that the targets copy for .NET Framework, and writes the list of assets from which .NET finds the library.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOLS = ROOT / "bindings/dotnet/tools"
MSBUILD = "{http://schemas.microsoft.com/developer/msbuild/2003}"
# Matches the folders of the libraries, one for each platform.
NATIVE = r"runtimes/(?:linux-[a-z0-9-]+/native/libmerchantpay\.so|win-x(?:64|86)/native/merchantpay\.dll)"


def printed(*command, **options):
    ran = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **options
    )
    if ran.returncode != 0:
        raise RuntimeError(f"{command} ended with {ran.returncode}:\n{ran.stdout}")
    return ran.stdout


def compiled(unpacked, framework, project):
    """Compiles the page's program with the assembly for a framework."""
    project.mkdir(parents=True)
    shutil.copy(unpacked / f"lib/{framework}/MerchantPay.dll", project)
    printed(TOOLS / "program", project, "shop", ROOT / "examples/dotnet/first.cs")


def framework_project(unpacked, project):
    """Makes a project for .NET Framework. The targets copy the libraries to the program's folder."""
    compiled(unpacked, "net461", project)
    targets = unpacked / "build/net461/MerchantPay.targets"
    for item in xml.parse(targets).iter(f"{MSBUILD}None"):
        named, condition = item.get("Include"), item.get("Condition")
        if condition not in (None, f"Exists('{named}')"):
            raise RuntimeError(f"the targets copy {named} under a condition that is not its own")
        source = pathlib.Path(named.replace("$(MSBuildThisFileDirectory)", f"{targets.parent}/"))
        place = project / item.get("Link")
        if condition is None or source.exists():
            place.parent.mkdir(exist_ok=True)
            shutil.copy(source, place)
    return ["mono", project / "shop.exe"]


def core_project(unpacked, version, project):
    """Makes a project for .NET. By the program's list of assets, .NET finds the library in the package."""
    compiled(unpacked, "netstandard2.0", project)
    names = [file.relative_to(unpacked).as_posix() for file in unpacked.rglob("*") if file.is_file()]
    native = {name: {"rid": name.split("/")[1], "assetType": "native"} for name in names if re.fullmatch(NATIVE, name)}
    assets = {"runtime": {"lib/netstandard2.0/MerchantPay.dll": {}}, "runtimeTargets": native}
    package, target = f"MerchantPay/{version}", ".NETCoreApp,Version=v3.1"
    listed = {
        "runtimeTarget": {"name": target},
        "targets": {target: {"shop/1.0.0": {"dependencies": {"MerchantPay": version}, "runtime": {"shop.exe": {}}}, package: assets}},
        "libraries": {
            "shop/1.0.0": {"type": "project", "serviceable": False, "sha512": ""},
            package: {"type": "package", "serviceable": True, "sha512": "", "path": f"merchantpay/{version}"},
        },
    }
    (project / "shop.deps.json").write_text(json.dumps(listed))
    (project / "MerchantPay.dll").unlink()
    host = printed(TOOLS / "coreclr").strip().splitlines()[-1]
    return [host, "exec", "--additionalprobingpath", unpacked.parent.parent, project / "shop.exe"]


def use(package, work, start):
    """Restores the package into a folder, and takes a payment by a project of each kind. `start` runs a command
    with a sandbox."""
    (version,) = re.findall(r"MerchantPay\.(\d+\.\d+\.\d+)\.nupkg$", package.name)
    shutil.rmtree(work, ignore_errors=True)
    unpacked = work / "packages/merchantpay" / version
    shutil.unpack_archive(package, unpacked, "zip")
    if f"<version>{version}</version>" not in (unpacked / "MerchantPay.nuspec").read_text():
        raise RuntimeError("the description has another version")
    for command in (framework_project(unpacked, work / "framework"), core_project(unpacked, version, work / "core")):
        paid = start(command)
        if "doneSuccess" not in paid:
            raise RuntimeError(f"{command[0]} was not paid:\n{paid}")
    return unpacked


def test_dotnet(archives, work, settings):
    from package_user import User, need_paid, released

    release = released(archives, work, "dotnet", [TOOLS / "package", archives, work / "release/dotnet"])
    (package,) = (release / "dotnet").glob("MerchantPay.[0-9]*.nupkg")
    environment = {**{name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}, **settings}
    unpacked = use(package, work / "dotnet", lambda command: printed(*command, env=environment))
    libraries = [file for file in unpacked.rglob("*") if re.fullmatch(NATIVE, file.relative_to(unpacked).as_posix())]
    packed = [archive for archive in archives.glob("merchantpay-*") if re.search(r"-(linux-.*\.tar\.gz|windows-.*\.zip)$", archive.name)]
    if len(libraries) != len(packed):
        raise RuntimeError(f"{len(packed)} archives, and other libraries than one of each: {libraries}")
    if len([*unpacked.glob("licenses/*/merchantpay.cdx.json")]) != len(libraries):
        raise RuntimeError("a library has no bill of materials")
    with User(settings, release) as user:
        output, took = user.follow("bindings/dotnet/README.md", {"csharp": "pay.cs"})
    need_paid(output, 1)
    return took


PARTS = {"dotnet": test_dotnet}

if __name__ == "__main__":
    os.environ.pop("LD_LIBRARY_PATH", None)
    use(
        pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), lambda command: printed(sys.argv[3], "sandbox", "--port", "0", "--", *command)
    )
    print("a project for .NET Framework (on Mono) and one for .NET use the package from a folder")

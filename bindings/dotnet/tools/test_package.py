"""Uses the NuGet package from a folder as a project does, and takes a payment; for tools/release/test-packages.

Machines with Linux have neither NuGet nor MSBuild, so this does their work: it unpacks the package, copies the
files that the targets copy for .NET Framework, and writes the list of assets from which .NET finds the library.
"""

import json
import os
import pathlib
import re
import shutil
import xml.etree.ElementTree as xml

from package_user import ROOT, User, need, need_paid, packed, run
from packing import PLATFORMS

TOOLS = ROOT / "bindings/dotnet/tools"
MSBUILD = "{http://schemas.microsoft.com/developer/msbuild/2003}"
NATIVE_LIBRARY = r"runtimes/(?:linux-[a-z0-9-]+/native/libmerchantpay\.so|win-x(?:64|86)/native/merchantpay\.dll)"


def compiled(unpacked, framework, project):
    project.mkdir(parents=True)
    shutil.copy(unpacked / f"lib/{framework}/MerchantPay.dll", project)
    run([TOOLS / "program", project, "shop", ROOT / "examples/dotnet/first.cs"])


def framework_project(unpacked, project):
    """A project for .NET Framework: copies the libraries that the package's .targets name beside the program."""
    compiled(unpacked, "net461", project)
    targets = unpacked / "build/net461/MerchantPay.targets"
    for item in xml.parse(targets).iter(f"{MSBUILD}None"):
        named, condition = item.get("Include"), item.get("Condition")
        need(condition in (None, f"Exists('{named}')"), f"{named}: the only allowed condition is that this file exists")
        source = pathlib.Path(named.replace("$(MSBuildThisFileDirectory)", f"{targets.parent}/"))
        place = project / item.get("Link")
        if condition is None or source.exists():
            place.parent.mkdir(exist_ok=True)
            shutil.copy(source, place)
    return ["mono", project / "shop.exe"]


def core_project(unpacked, version, project):
    """A project for .NET: shop.deps.json names the library in the package's folder."""
    compiled(unpacked, "netstandard2.0", project)
    names = [file.relative_to(unpacked).as_posix() for file in unpacked.rglob("*") if file.is_file()]
    native = {name: {"rid": name.split("/")[1], "assetType": "native"} for name in names if re.fullmatch(NATIVE_LIBRARY, name)}
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
    host = run([TOOLS / "coreclr"]).strip().splitlines()[-1]
    return [host, "exec", "--additionalprobingpath", unpacked.parent.parent, project / "shop.exe"]


def test_dotnet(archives, work, settings):
    """Restores the package into a folder, and takes a payment by a project of each kind."""
    (package,) = packed(archives, "dotnet", TOOLS / "package", archives).glob("MerchantPay.[0-9]*.nupkg")
    (version,) = re.findall(r"MerchantPay\.(\d+\.\d+\.\d+)\.nupkg$", package.name)
    unpacked = work / "dotnet/packages/merchantpay" / version
    shutil.unpack_archive(package, unpacked, "zip")
    need(f"<version>{version}</version>" in (unpacked / "MerchantPay.nuspec").read_text(), "the description has another version")
    environment = {**{name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}, **settings}
    for command in (framework_project(unpacked, work / "dotnet/framework"), core_project(unpacked, version, work / "dotnet/core")):
        paid = run(command, env=environment)
        need("doneSuccess" in paid, f"{command[0]} was not paid:\n{paid}")
    libraries = [file for file in unpacked.rglob("*") if re.fullmatch(NATIVE_LIBRARY, file.relative_to(unpacked).as_posix())]
    need(len(libraries) == len(PLATFORMS), f"other libraries than one a platform: {libraries}")
    need(len([*unpacked.glob("licenses/*/merchantpay.cdx.json")]) == len(libraries), "a library has no bill of materials")
    with User(settings, archives) as user:
        output, took = user.follow("bindings/dotnet/README.md", {"csharp": "pay.cs"})
    need_paid(output, 1)
    return took


PARTS = {"dotnet": test_dotnet}

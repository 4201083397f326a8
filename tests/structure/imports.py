"""The modules and folders of a crate do not import each other in a circle, and no layer imports one above it.

An import is a `use` or a path that begins with `crate`, `super`, `self` or a child module, outside of `#[cfg(test)]`. An import of a
re-exported name is an import from the module that defines the name.
"""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Crates with layers, each from bottom to top.
LAYERS = {"merchantpay-journal": ["model", "store", "api"]}

# Comments, texts and characters: a quotation mark of one begins no other.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|\bb?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\'\\])\'', re.DOTALL)
PATH = re.compile(r"\w+(?:::\w+)*")


def end_of_item(text, start):
    """The end of an item: a semicolon, or a block."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth <= 0 and text[at] in ";}":
            return at + 1 + depth
    return len(text)


def code(text):
    """The code outside of comments, texts and `#[cfg(test)]`."""
    text = re.sub(r"\s*::\s*", "::", NO_CODE.sub(" ", text))
    while (start := text.find("#[cfg(test)]")) >= 0:
        text = text[:start] + text[end_of_item(text, start) :]
    return text


def branches(tree):
    """The names and the paths of a `use`."""
    tree = tree.strip()
    if (brace := tree.find("{")) < 0:
        path, _, name = tree.removesuffix("::*").partition(" as ")
        path = path.removesuffix("::self")
        return [(name.strip() or path.split("::")[-1], path.strip())]
    found, depth, begin = [], 0, brace + 1
    for at in range(brace, len(tree)):
        depth += {"{": 1, "}": -1}.get(tree[at], 0)
        if depth == 1 and tree[at] == "," or not depth:
            found += branches(tree[:brace] + tree[begin:at].strip()) if tree[begin:at].strip() else []
            begin = at + 1
    return found


class Module:
    def __init__(self, file):
        self.file = file
        text = code(file.read_text())
        self.children = re.findall(r"\bmod (\w+);", text)
        uses = re.compile(r"\buse ([^;<]+);")
        self.names = [pair for tree in uses.findall(text) for pair in branches(re.sub(r"\s+", " ", tree))]
        self.paths = {path for path in PATH.findall(uses.sub(";", text)) if "::" in path} | {path for _, path in self.names}


def add(modules, path, file, folder):
    """Adds all modules below too. `folder` has the children's files."""
    modules[path] = Module(file)
    for name in modules[path].children:
        for child in (folder / f"{name}.rs", folder / name / "mod.rs"):
            # By `#[path]` a module can be a file of another package.
            if child.exists():
                add(modules, (*path, name), child, folder / name)


def resolve(modules, start, path, reexports=8):
    """The module that defines the item of a path; None if the item is in another crate. A longer chain of re-exports would be a circle."""
    first, *rest = path.split("::")
    if first not in ("crate", "self", "super") and (*start, first) not in modules:
        return None
    at = () if first == "crate" else start
    rest = rest if first in ("crate", "self") else [first, *rest]
    while rest:
        below = at[:-1] if rest[0] == "super" else (*at, rest[0])
        if below not in modules:
            break
        at, rest = below, rest[1:]
    for name, target in modules[at].names if rest and reexports and at != start else ():
        if name == rest[0]:
            return resolve(modules, at, target, reexports - 1) or at
    return at


def imports(root):
    """The files that each file of a crate imports from. A module consists of its children, so the use of a child's item is no import."""
    modules = {}
    add(modules, (), root, root.parent)
    found = {module.file: set() for module in modules.values()}
    for start, module in modules.items():
        targets = {resolve(modules, start, path) for path in module.paths} - {None}
        found[module.file] = {modules[target].file for target in targets if target[: len(start)] != start}
    return found


def circles(graph):
    """Pairs of nodes that import each other, directly or not."""
    reached = {}
    for node in graph:
        reached[node], following = set(), [*graph[node]]
        while following:
            if (other := following.pop()) not in reached[node]:
                reached[node].add(other)
                following += graph[other]
    return [(one, other) for one in graph for other in reached[one] if str(one) < str(other) and one in reached[other]]


def between_rooms(graph, source):
    """The imports between the files and folders beside a crate's root."""
    room = {file: source / file.relative_to(source).parts[0].removesuffix(".rs") for file in graph}
    rooms = {place: set() for place in room.values()}
    for file, imported in graph.items():
        rooms[room[file]] |= {room[other] for other in imported} - {room[file]}
    return rooms


def upward(graph, source, layers):
    layer = {file: file.relative_to(source).parts[0] for file in graph}
    found = [(file, other) for file in graph for other in graph[file] if {layer[file], layer[other]} <= {*layers}]
    # Otherwise the layers have other names, or their imports are not seen.
    assert all(any(layer[file] == name and layer[other] == layers[0] for file, other in found) for name in layers[1:])
    return [(file, other) for file, other in found if layers.index(layer[file]) < layers.index(layer[other])]


def faults():
    listed = subprocess.run(["git", "ls-files", "*/src/lib.rs", "*/src/*main.rs"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for root in map(ROOT.joinpath, listed.stdout.split()):
        source, graph = root.parent, imports(root)
        folders = [pair for pair in circles(between_rooms(graph, source)) if all(place.is_dir() for place in pair)]
        for one, other in circles(graph) + folders:
            yield f"{one.relative_to(ROOT)} and {other.relative_to(ROOT)} import each other in a circle"
        for one, other in upward(graph, source, LAYERS.get(source.parent.name, [])):
            yield f"{one.relative_to(ROOT)} imports {other.relative_to(ROOT)}, which is in a layer above it"

"""Makes the vectors in this folder: `python make.py`, or `python make.py --check` to compare. README.md
describes them.

Needs `pip install -r requirements.txt` and Python 3.9 or newer. The expected results are hand-written, from
the contract and the documentation; none was recorded from the library.
"""

import json
import pathlib
import sys

import cases

FOLDER = pathlib.Path(__file__).resolve().parent


def shown(value):
    """A person can see every character: unprintable ones and those that change the text's direction are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isascii() or c.isalpha() else json.dumps(c)[1:-1] for c in text)


def document(about, entries):
    lines = ",\n".join(shown(entry) for entry in entries)
    head = "".join(f"{shown(name)}: {shown(value)},\n" for name, value in (("about", about), ("settings", cases.SETTINGS)))
    return f'{{\n{head}"count": {len(entries)},\n"cases": [\n{lines}\n]\n}}\n'


def main(check):
    different, inputs = [], set()
    for name, (about, entries) in cases.files().items():
        names = [entry["name"] for entry in entries]
        assert len(names) == len(set(names)), sorted(one for one in names if names.count(one) > 1)
        for entry in entries:
            given = shown({member: value for member, value in entry.items() if member not in ("name", "expected")})
            assert given not in inputs, f"{name}: {entry['name']} has the input of another vector"
            inputs.add(given)
        path, text = FOLDER / f"{name}.json", document(about, entries)
        if path.exists() and path.read_bytes() == text.encode():
            continue
        different.append(path.name)
        if not check:
            path.write_bytes(text.encode())
    known = {f"{name}.json" for name in cases.files()}
    different += sorted(path.name for path in FOLDER.glob("*.json") if path.name not in known)
    if check and different:
        names = ", ".join(different)
        sys.exit(f"not what cases/ says: {names}. After a change of cases/ run: {sys.executable} {pathlib.Path(__file__).resolve()}")


if __name__ == "__main__":
    main(check=sys.argv[1:] == ["--check"])

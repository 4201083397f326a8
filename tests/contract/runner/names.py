"""The names that an error's message must contain, as the language spells them."""

from __future__ import annotations

import re

from .languages import Language

# Words that Go writes in capitals.
INITIALISMS = {"ca", "http", "id", "json", "ms", "pem", "spki", "sql", "url"}


def spelled(style: str, name: str) -> str:
    """`name` is in snake case. A variable keeps its name."""
    if name.startswith("MERCHANTPAY_"):
        return name
    # Where a duration has its unit in its type, names have no unit.
    words = (name.removesuffix("_ms") if style in ("go", "csharp", "python") else name).split("_")
    if style == "camel":
        return words[0] + "".join(map(str.capitalize, words[1:]))
    if style in ("pascal", "csharp"):
        return "".join(map(str.capitalize, words))
    if style == "go":
        return "".join(word.upper() if word in INITIALISMS else word.capitalize() for word in words)
    return "_".join(words)


def variable(setting: str) -> str:
    return "MERCHANTPAY_" + setting.upper()


def missing(language: Language, wanted: str | list[str], message: str, in_environment: bool = False) -> list[str]:
    """The names that the message does not contain as words. A setting in the environment may be named as a variable
    or as a setting, because some languages read the environment first."""
    if language.style is None or not language.has("names"):
        return []
    lacking = []
    for name in [wanted] if isinstance(wanted, str) else wanted:
        forms = {spelled(language.style, name), *({variable(name)} if in_environment else ())}
        if language.style == "pascal":  # Settings and the fields of a request are texts, which name them in snake case.
            forms.add(name)
        if language.style == "rust":  # The core itself has the contract's names of fields.
            forms.add(spelled("camel", name))
        if not re.search(rf"(?<!\w)({'|'.join(sorted(forms))})(?!\w)", message):
            lacking.append(f"the message names no {name}: {message!r}")
    return lacking

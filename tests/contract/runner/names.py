"""The names that an error's message must contain, as the language spells them."""

from __future__ import annotations

import re

from .languages import Language

# Words that Go writes in capitals.
INITIALISMS = {"ca", "http", "id", "json", "ms", "pem", "spki", "sql", "url"}


def spelled(style: str, name: str) -> str:
    """Spells a name that is in snake case. A variable keeps its name."""
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


def missing(language: Language, names: str | list[str], message: str) -> list[str]:
    """The names that the message does not contain as words."""
    if language.style is None or not language.has("names"):
        return []
    wanted = [spelled(language.style, name) for name in ([names] if isinstance(names, str) else names)]
    return [f"the message names no {name}: {message!r}" for name in wanted if not re.search(rf"(?<!\w){name}(?!\w)", message)]

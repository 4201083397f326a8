"""The common base of the enums in `_generated.words`."""

from __future__ import annotations

from enum import Enum


class Word(str, Enum):
    """A member is its text: `str()`, `format()` and `==` use only the text."""

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, spec: str) -> str:
        return str.__format__(self, spec)

    def __reduce_ex__(self, proto: object) -> tuple[type[Word], tuple[str]]:
        # A word is pickled as its text. CPython 3.11.0 to 3.11.3 would pickle and copy a member by its name,
        # but an unknown text has no name.
        return type(self), (self.value,)


class OpenWord(Word):
    """A list of values that the service may extend. An unknown text becomes a member `UNKNOWN` with this text."""

    @classmethod
    def _missing_(cls, value: object) -> OpenWord | None:
        if not isinstance(value, str):
            return None
        word = str.__new__(cls, value)
        word._name_ = "UNKNOWN"
        word._value_ = str(value)
        return word

    @property
    def is_known(self) -> bool:
        """True if this version of the library knows the word."""
        return self._name_ != "UNKNOWN"

"""The base of results: values that do not change. `dataclasses` takes longer to import than this package."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar
    from typing import final as final

    from typing_extensions import Self, dataclass_transform
else:

    def final(kind):
        return kind

    def dataclass_transform(**_):
        return final


class _Required:
    """A field without a default."""


REQUIRED = _Required()


@dataclass_transform(frozen_default=True)
class Value:
    """A value with the fields that its class annotates. It can be constructed, compared, copied and pickled."""

    _fields: ClassVar[tuple[str, ...]] = ()
    # The fields that `repr` shows.
    _shown: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        own = tuple(name for name in getattr(cls, "__annotations__", ()) if not name.startswith("_") and name not in cls._fields)
        cls._fields += own
        for name in own:
            if name not in cls.__dict__:
                setattr(cls, name, REQUIRED)

    if not TYPE_CHECKING:

        def __init__(self, *values, **named):
            cls = type(self)
            if len(values) > len(self._fields) or not named.keys() <= set(self._fields[len(values) :]):
                raise TypeError(f"{cls.__name__} has the fields {', '.join(self._fields)}, each at most once")
            given = {**dict(zip(self._fields, values)), **named}
            for name in self._fields:
                value = given.get(name, getattr(cls, name))
                if value is REQUIRED:
                    raise TypeError(f"{cls.__name__} needs {name}")
                self.__dict__[name] = value

        def __setattr__(self, name, value):
            raise AttributeError(f"a {type(self).__name__} cannot be changed")

        def __delattr__(self, name):
            raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__[name] for name in self._fields))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __repr__(self) -> str:
        shown = ((name, getattr(self, name)) for name in self._shown)
        inner = ", ".join(f"{name}={plain(value)!r}" for name, value in shown if value is not None)
        return f"{type(self).__name__}({inner})"


def plain(value: object) -> object:
    """A word as its text, for `repr`."""
    return str(value) if isinstance(value, str) else value

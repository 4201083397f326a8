"""The blocking journal."""

from __future__ import annotations

from ._client import Client
from ._generated.journal_methods import JournalMethods
from ._generated.settings import JournalSettings
from ._native import open
from ._values import final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._entry import Entry
    from ._generated.types import Settings, UntilName


@final
class Journal(JournalSettings, JournalMethods):
    """Makes payments under your own order numbers, the *references*: at most one payment that a customer can
    pay for each. `pay` can be repeated at any time, by any process, also after a crash. The page
    docs/journal.md explains what the journal promises. The settings are described at `Journal.__init__`.

    `receive` takes webhooks, and `settle` asks the service about what is due. Act only on the entries of
    `news`; after a crash they come again. `attention` lists what a person must look at.

    Threads may share a journal. After a fork the child opens its own connection. A journal cannot be pickled
    or copied; its entries can. The GIL is released during calls. On Ctrl-C a call finishes and stores its
    result, and then KeyboardInterrupt is raised; `wait` and `settle` end between two calls to the service."""

    _client: Client

    def _open(self, client: Client, settings: Settings) -> None:
        if not isinstance(client, Client):
            raise TypeError(f"client must be Client, not {type(client).__name__}")
        # Kept so that the garbage collector sees the client.
        self._client = client
        self._handle = open("journal", settings, parent=client._handle)

    def wait(self, reference: str, *, timeout: float, until: UntilName = "credentials") -> Entry:
        """Waits until the last attempt of a reference has reached `until` (an Until), at most `timeout` seconds,
        and returns its entry. Meanwhile the service is asked about it every two seconds.

        Raises InvalidArgumentError if there is no such reference, StorageError if the journal failed,
        CallCancelledError if the client was interrupted."""
        entry: Entry = self._call(75, reference, until, timeout)
        return entry

    def _derive(self) -> Journal:
        """A derived journal, whose calls can be interrupted separately."""
        derived = Journal.__new__(Journal)
        derived._client = self._client
        derived._handle = self._call(90)
        return derived

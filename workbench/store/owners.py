"""Which process runs what: a lock file per owner, held by the operating system while its process lives.

A process that dies, even by ``kill -9``, loses its lock at that moment. Nothing has to be written, no
heartbeat and no process id is compared: whoever can take the lock knows that its owner is gone.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from workbench.errors import StoreError
from workbench.store.database import Database

SWEPT_AFTER_S = 3600.0


class Owner:
    """This process as an owner of runs.

    Args:
        folder: Where the lock files are; made on first use.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = ""
        self._pid = 0
        self._lock: FileLock | None = None
        self._claiming = threading.Lock()

    def claim(self) -> str:
        """The owner's name, with its lock held from now on until the process ends.

        Raises:
            StoreError: The lock file cannot be written.
        """
        with self._claiming:
            if self._pid != os.getpid():
                self._name = f"{os.getpid()}-{secrets.token_hex(4)}"
                # The thread that ends the process is not always the one that took the lock.
                self._lock = FileLock(self._folder / f"{self._name}.lock", thread_local=False)
                try:
                    self._folder.mkdir(parents=True, exist_ok=True)
                    self._lock.acquire()
                except OSError as error:
                    raise StoreError(
                        f"no run can start: {error.strerror}.", where=str(self._folder)
                    ) from error
                self._pid = os.getpid()
        return self._name

    def is_dead(self, owner: str) -> bool:
        """Whether the process behind ``owner`` has ended. True also when its lock file is gone."""
        if owner == self._name and self._pid == os.getpid():
            return False
        path = self._folder / f"{owner}.lock"
        if not path.exists():
            return True
        lock = FileLock(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        # Names are never used twice, so a free file has done its service.
        path.unlink(missing_ok=True)
        lock.release()
        return True

    def sweep(self) -> None:
        """Remove the lock files of processes that ended long ago.

        A file younger than ``SWEPT_AFTER_S`` is left alone: its process may be about to take it.
        """
        for path in self._folder.glob("*-*.lock"):
            with suppress(FileNotFoundError):  # another process sweeps too
                if time.time() - path.stat().st_mtime > SWEPT_AFTER_S:
                    self.is_dead(path.stem)

    def release(self) -> None:
        """Give the lock back, as the end of the process does."""
        if self._lock is not None and self._pid == os.getpid():
            self._lock.release()
            Path(self._lock.lock_file).unlink(missing_ok=True)
        self._pid = 0


def interrupt_orphans(database: Database, owner: Owner) -> int:
    """Mark the running runs and batches of dead processes as interrupted, and return how many there were."""
    running = "select distinct owner from runs where status = 'running' union "
    with database.read() as db:
        found = db.execute(f"{running} select owner from batches where status = 'running'").fetchall()
    dead = [name for (name,) in found if owner.is_dead(name)]
    if not dead:
        return 0
    orphans = f"status = 'running' and owner in ({', '.join('?' * len(dead))})"
    with database.write(upkeep=True) as db:
        return sum(
            int(db.execute(f"update {table} set status = 'interrupted' where {orphans}", dead).rowcount)
            for table in ("runs", "batches")
        )

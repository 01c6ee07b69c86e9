from __future__ import annotations

import os
import time
from pathlib import Path

from workbench.store.owners import SWEPT_AFTER_S, Owner


def make_old(path: Path) -> None:
    then = time.time() - SWEPT_AFTER_S - 1
    os.utime(path, (then, then))


def test_an_owner_lives_as_long_as_it_holds_its_lock(tmp_path: Path) -> None:
    owner, other = Owner(tmp_path), Owner(tmp_path)
    name = owner.claim()

    assert owner.claim() == name
    assert not other.is_dead(name)
    assert not owner.is_dead(name)

    owner.release()
    assert other.is_dead(name)


def test_a_name_nobody_has_a_file_for_is_dead(tmp_path: Path) -> None:
    assert Owner(tmp_path / "nowhere").is_dead("1-abc")


def test_a_new_claim_after_a_release_has_a_new_name(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    first = owner.claim()
    owner.release()

    assert owner.claim() != first
    assert owner.is_dead(first)


def test_old_files_of_dead_processes_are_swept_and_no_others(tmp_path: Path) -> None:
    """Every process that ran something once left a lock file behind for good."""
    living = Owner(tmp_path)
    held = tmp_path / f"{living.claim()}.lock"
    dead, fresh, migrating = (
        tmp_path / "1-dead.lock",
        tmp_path / "2-new.lock",
        tmp_path / "runs.db.migrating.lock",
    )
    for path in (dead, fresh, migrating):
        path.touch()
    for path in (dead, held, migrating):
        make_old(path)

    Owner(tmp_path).sweep()

    assert set(tmp_path.iterdir()) == {held, fresh, migrating}

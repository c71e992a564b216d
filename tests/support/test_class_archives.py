"""When an archive of classes is made, and used, without Java."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import maven_jars
from tests.support.class_archives import archive_options


class Trainer:
    """Asks for the archive, and keeps the options that Java was trained with."""

    def __init__(self, home: Path) -> None:
        self.options: list[str] = []
        self.fails = False
        self._jars = home / "jars"
        self._jars.mkdir()
        self._java = home / "java"
        self._java.touch()

    def ask(self) -> Sequence[str]:
        return archive_options("kafka", str(self._java), self._jars, self._train)

    def add_jar(self, name: str) -> None:
        (self._jars / name).write_text(name)

    def _train(self, option: str) -> None:
        self.options.append(option)
        if self.fails:
            raise subprocess.TimeoutExpired("java", 1)
        Path(option.split("=")[1]).touch()


@pytest.fixture
def trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trainer:
    monkeypatch.setattr(maven_jars, "cache_dir", lambda: tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    return Trainer(tmp_path)


def test_an_archive_is_made_once_and_used(trainer: Trainer, tmp_path: Path) -> None:
    archive = tmp_path / "class-archives" / "kafka.jsa"
    for _ in range(2):
        assert trainer.ask() == (f"-XX:SharedArchiveFile={archive}", "-Xlog:disable")
    assert trainer.options == [f"-XX:ArchiveClassesAtExit={archive}"]


def test_a_test_that_runs_alone_or_wants_none_uses_one_that_is_there_and_makes_none(
    trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as alone:
        alone.delenv("PYTEST_XDIST_WORKER")
        assert trainer.ask() == ()
    with monkeypatch.context() as short:
        short.setenv("KAFKA_NEXTGEN_CLASS_ARCHIVES", "0")
        assert trainer.ask() == ()
    made = trainer.ask()
    monkeypatch.delenv("PYTEST_XDIST_WORKER")
    assert trainer.ask() == made != ()
    assert len(trainer.options) == 1


def test_other_jars_have_another_archive(trainer: Trainer) -> None:
    trainer.ask()
    trainer.add_jar("another.jar")
    assert trainer.ask() != ()
    assert len(trainer.options) == 2


def test_what_could_not_be_made_is_not_tried_again(trainer: Trainer) -> None:
    trainer.fails = True
    assert [trainer.ask(), trainer.ask()] == [(), ()]
    assert len(trainer.options) == 1


def test_one_process_makes_it_under_ci(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER")
    monkeypatch.setenv("CI", "true")
    assert trainer.ask()

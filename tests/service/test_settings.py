"""Settings: all documented, all refused where they would not do, none shown that is a secret."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from service.settings import Settings, complaints

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def shown(default: Any) -> str:
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`" if default or default == 0 else "none"


def test_the_readme_lists_every_setting_with_its_default_and_its_meaning() -> None:
    readme = (ROOT / "README.md").read_text()
    table = readme.partition("| variable | default | meaning |\n|---|---|---|\n")[2].partition("\n\n")[0]
    expected = [
        f"| `{name.upper()}` | {shown(field.default)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    assert table.splitlines() == expected


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PORT", "eighty", "valid integer"),
        ("PORT", "70000", "less than or equal to 65535"),
        ("WORKERS", "0", "greater than or equal to 1"),
        ("BODY_LIMIT", "1", "greater than or equal to 1000"),
        ("REQUEST_TIMEOUT", "nan", "less than or equal to 3600"),
        ("LOG_LEVEL", "loud", "'debug', 'info', 'warning' or 'error'"),
        ("LOG_FORMAT", "xml", "'json' or 'console'"),
        ("ROOT_PATH", "mlsysim/", "such as `/mlsysim`"),
        ("CORS_ORIGINS", "https://a.example, b.example", '"b.example" is no origin; https://example.org or * would do'),
        ("CORS_ORIGINS", "https://a.example/path", "is no origin"),
        ("API_KEYS", "a-key-of-many-characters,too-short", "key 2 will not do; 16 to 200 letters"),
    ],
)
def test_a_value_that_will_not_do(monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError) as error:
        Settings()
    message = complaints(error.value)
    assert message.startswith(f"{name} will not do: ")
    assert words in message
    assert str(Settings.model_fields[name.lower()].description) in message


def test_lists_are_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORS_ORIGINS", " https://a.example, http://localhost:3000 ,")
    monkeypatch.setenv("API_KEYS", "")
    assert Settings().cors_origins == ("https://a.example", "http://localhost:3000")
    assert Settings().api_keys == ()


def test_keys_of_nothing_but_commas_do_not_let_everyone_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEYS", " , ")
    with pytest.raises(ValidationError, match="nothing but commas"):
        Settings()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_address_that_cannot_be_listened_on_stops_the_start(workers: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "service"],
            cwd=ROOT,
            env={"PORT": port, "WORKERS": workers},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr == (
        f"mlsysim: HOST and PORT will not do: Address already in use (127.0.0.1, {port});"
        " an address of this machine and a free port would\n"
    )


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEYS", "a-key-of-many-characters")
    assert "many" not in repr(Settings())
    monkeypatch.setenv("API_KEYS", "many wrong characters")
    with pytest.raises(ValidationError) as error:
        Settings()
    assert "wrong" not in complaints(error.value)


def test_all_that_will_not_do_is_said_at_once_and_stops_the_start() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "service"],
        cwd=ROOT,
        env={"PORT": "eighty", "WORKERS": "-1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert re.fullmatch(r"mlsysim: PORT will not do: [^;]+;[^;]+; WORKERS will not do: .*\n", done.stderr), done.stderr

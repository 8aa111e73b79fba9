"""What an operator can set, from environment variables of the same names in capitals; README.md lists them all."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode

_ORIGIN = re.compile(r"https?://[^/\s?#@]+")
_API_KEY = re.compile(r"[A-Za-z0-9._~+/=-]{16,200}")
_ROOT_PATH = r"^(/[A-Za-z0-9._~-]+)*$"


def _listed(value: object) -> object:
    """The items of a comma-separated text; an empty one has none."""
    if not isinstance(value, str):
        return value
    items = [item.strip() for item in value.split(",") if item.strip()]
    if value and not items:
        raise ValueError("it holds nothing but commas and blanks; leave it out, or list what it is for")
    return items


def _origins(value: tuple[str, ...]) -> tuple[str, ...]:
    for origin in value:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise ValueError(f'"{origin}" is no origin; https://example.org or * would do')
    return value


def _keys(value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    for number, key in enumerate(value, 1):
        if not _API_KEY.fullmatch(key.get_secret_value()):
            raise ValueError(f"key {number} will not do; 16 to 200 letters, digits and any of ._~+/=- would")
    return value


class Settings(BaseSettings):
    """Settings of one process.

    Raises:
        pydantic.ValidationError: a variable has a value that would not do; `complaints` words it without the value.
    """

    host: str = Field(default="127.0.0.1", min_length=1, description="address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    workers: int = Field(default=1, ge=1, le=256, description="processes that answer; one for each core is plenty")
    root_path: str = Field(
        default="", pattern=_ROOT_PATH, description="path that a proxy serves this under, such as `/mlsysim`"
    )
    body_limit: int = Field(default=1_000_000, ge=1_000, le=100_000_000, description="largest request body, in bytes")
    batch_limit: int = Field(default=1000, ge=1, le=1000, description="most evaluations of one batch, up to 1000")
    request_timeout: float = Field(
        default=30,
        gt=0,
        le=3600,
        description="seconds within which a request has to arrive, head and body each, and an answer has to be taken",
    )
    keep_alive: int = Field(default=75, ge=1, le=3600, description="seconds that an idle connection stays open")
    drain_time: float = Field(
        default=5, ge=0, le=600, description="seconds that requests are still served after SIGTERM, `/readyz` saying no"
    )
    shutdown_timeout: int = Field(
        default=30, ge=1, le=600, description="seconds that requests in flight then have to finish"
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_origins)] = Field(
        default=(), max_length=100, description="origins whose pages may call, comma-separated, or `*` for any"
    )
    api_keys: Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_keys)] = Field(
        default=(),
        max_length=100,
        description="keys that may call, comma-separated, of 16 to 200 characters each; without any, anyone may",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="least level logged: `debug`, `info`, `warning` or `error`"
    )
    log_format: Literal["json", "console"] = Field(default="json", description="`json`, or `console` for people")


def complaints(error: ValidationError) -> str:
    """What is wrong with the settings and what each is for; never the value, which may be a key."""
    return "; ".join(
        f"{name.upper()} will not do: {found['msg'].removeprefix('Value error, ')}"
        f" ({Settings.model_fields[name].description})"
        for found in error.errors(include_url=False, include_input=False)
        for name in [str(found["loc"][0])]
    )

"""What makes polling cheap: under GET a strong ETag, 304, HEAD and gzip; the catalog's version on every answer."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from mlsysim.catalog import catalog
from service.app import create_app
from service.openapi import DOCUMENT

PATHS: dict[str, Any] = json.loads(DOCUMENT.read_text())["paths"]
NOT_IN_THE_DOCUMENT = ["/openapi.json", "/docs", "/docs/docs.js", "/docs/swagger-ui.css", "/docs/favicon-32x32.png"]
NEVER_STORED = {"/healthz", "/readyz", "/metrics"}
IDENTITY = {"accept-encoding": "identity"}
GZIP = {"accept-encoding": "gzip"}

# Some whose body is worth compressing.
LARGE = ["/catalog", "/scenarios", "/openapi.json", "/docs/swagger-ui.css"]


def url(path: str) -> str:
    """The path with the examples of its parameters."""
    examples = {each["name"]: each["example"] for each in PATHS[path]["get"]["parameters"] if "example" in each}
    return re.sub(r"\{(\w+)\}", lambda match: examples[match[1]], path)


READS = [*(url(path) for path, item in PATHS.items() if "get" in item), *NOT_IN_THE_DOCUMENT]
STABLE_READS = [path for path in READS if path != "/metrics"]  # which counts every request, this one too


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app(), raise_server_exceptions=False)


SAME_REQUEST = {"x-request-id": "same"}  # which an answer repeats


def get(client: TestClient, path: str, headers: dict[str, str]) -> Response:
    response: Response = client.get(path, headers=SAME_REQUEST | headers)
    return response


@pytest.mark.parametrize("path", STABLE_READS)
def test_a_read_has_a_strong_etag_that_stays(client: TestClient, path: str) -> None:
    first, second = (get(client, path, IDENTITY) for _ in range(2))
    assert first.status_code == 200
    assert re.fullmatch(r'"[!#-~]+"', first.headers["etag"])
    assert second.headers["etag"] == first.headers["etag"]
    assert first.headers["cache-control"] == ("no-store" if path in NEVER_STORED else "public, max-age=60")
    assert "last-modified" not in first.headers  # one validator is enough, and two can contradict each other


@pytest.mark.parametrize("headers", [IDENTITY, GZIP], ids=["identity", "gzip"])
@pytest.mark.parametrize("path", STABLE_READS)
def test_if_none_match_saves_the_body(client: TestClient, path: str, headers: dict[str, str]) -> None:
    whole = get(client, path, headers)
    etag = whole.headers["etag"]
    for offered in (etag, f"W/{etag}", f'"other", {etag}', f'{etag} , W/"other"', "*"):
        response = get(client, path, headers | {"if-none-match": offered})
        assert response.status_code == 304, offered
        assert response.content == b""
        for name in ("etag", "cache-control", "vary", "catalog-version"):
            assert response.headers.get(name) == whole.headers.get(name), (offered, name)
        assert not {"content-type", "content-length", "content-encoding"} & response.headers.keys()


@pytest.mark.parametrize("path", STABLE_READS)
def test_another_etag_is_answered_in_full(client: TestClient, path: str) -> None:
    whole = get(client, path, {})
    for offered in ('"other"', "", ",", 'W/"other", "another"', whole.headers["etag"].strip('"')):
        response = get(client, path, {"if-none-match": offered})
        assert response.status_code == 200, offered
        assert response.content == whole.content


def test_if_none_match_in_several_lines_is_one_list(client: TestClient) -> None:
    etag = client.get("/units").headers["etag"]
    assert client.get("/units", headers=[("if-none-match", '"other"'), ("if-none-match", etag)]).status_code == 304


def test_accept_encoding_in_several_lines_is_one_list(client: TestClient) -> None:
    response = client.get("/catalog", headers=[("accept-encoding", "br"), ("accept-encoding", "gzip")])
    assert response.headers["content-encoding"] == "gzip"


@pytest.mark.parametrize("headers", [IDENTITY, GZIP], ids=["identity", "gzip"])
@pytest.mark.parametrize("path", STABLE_READS)
def test_head_has_the_headers_of_get_and_no_body(client: TestClient, path: str, headers: dict[str, str]) -> None:
    head, whole = client.head(path, headers=SAME_REQUEST | headers), get(client, path, headers)
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers == whole.headers
    assert head.headers["content-length"] != "0"
    unchanged = client.head(path, headers=headers | {"if-none-match": head.headers["etag"]})
    assert unchanged.status_code == 304


@pytest.mark.parametrize("path", STABLE_READS)
def test_compressed_or_not_it_says_the_same(client: TestClient, path: str) -> None:
    plain, compressed = get(client, path, IDENTITY), get(client, path, GZIP)
    assert compressed.content == plain.content
    assert "content-encoding" not in plain.headers
    if "content-encoding" in compressed.headers:
        assert compressed.headers["content-encoding"] == "gzip"
        assert plain.headers["vary"] == compressed.headers["vary"] == "Accept-Encoding"
        assert plain.headers["etag"] != compressed.headers["etag"]
        assert int(compressed.headers["content-length"]) < int(plain.headers["content-length"]) == len(plain.content)
    else:
        assert plain.headers == compressed.headers
    # An ETag is good for its own encoding only.
    crossed = get(client, path, GZIP | {"if-none-match": plain.headers["etag"]})
    assert crossed.status_code == (200 if "content-encoding" in compressed.headers else 304)


@pytest.mark.parametrize(
    ("header", "compressed"),
    [
        ("identity;q=0.5, gzip", True),
        ("gzip", True),
        ("br, GZip;q=0.1", True),
        ("*", True),
        ("gzip;q=1.0, *;q=0", True),
        ("", False),
        ("br", False),
        ("gzip; q=0", False),
        ("gzip;q=0.000", False),
        ("identity, *;q=0", False),
        ("*, gzip;q=0", False),
    ],
)
@pytest.mark.parametrize("path", LARGE)
def test_a_large_body_is_compressed_for_who_accepts_it(
    client: TestClient, path: str, header: str, compressed: bool
) -> None:
    assert ("content-encoding" in get(client, path, {"accept-encoding": header}).headers) == compressed


def test_an_evaluation_is_not_to_be_kept(client: TestClient) -> None:
    response = client.post("/scenarios/ModelSpeedupRequestPath/evaluate", json={})
    assert not {"etag", "cache-control"} & response.headers.keys()


@pytest.mark.parametrize("path", STABLE_READS)
def test_part_of_a_body_is_not_given(client: TestClient, path: str) -> None:
    response = get(client, path, {"range": "bytes=0-9", **GZIP})
    assert response.status_code == 200
    assert response.content == get(client, path, GZIP).content


@pytest.mark.parametrize("path", READS)
def test_a_date_is_no_validator(client: TestClient, path: str) -> None:
    response = get(client, path, {"if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"})
    assert response.status_code == 200
    assert "etag" in response.headers


class TestTheCatalogsVersion:
    EXPECTED = catalog().version

    def test_is_what_version_says(self, client: TestClient) -> None:
        assert client.get("/version").json()["catalog"] == self.EXPECTED

    @pytest.mark.parametrize("path", READS)
    def test_is_on_every_read(self, client: TestClient, path: str) -> None:
        assert client.get(path).headers["catalog-version"] == self.EXPECTED

    @pytest.mark.parametrize("path", [path for path, item in PATHS.items() if "post" in item and "{" not in path])
    def test_is_on_every_evaluation(self, client: TestClient, path: str) -> None:
        content = PATHS[path]["post"]["requestBody"]["content"]["application/json"]
        response = client.post(path, json=next(iter(content["examples"].values()))["value"])
        assert response.status_code == 200
        assert response.headers["catalog-version"] == self.EXPECTED

    @pytest.mark.parametrize(
        ("method", "path", "content", "status"),
        [
            ("GET", "/nothing", None, 404),
            ("GET", "/catalog/hardware/Nothing", None, 404),
            ("HEAD", "/nothing", None, 404),
            ("DELETE", "/catalog", None, 405),
            ("HEAD", "/batch", None, 405),
            ("GET", "/catalog?limit=0", None, 422),
            ("POST", "/scenarios/AmdahlScenario/evaluate", "{", 400),
            ("POST", "/scenarios/AmdahlScenario/evaluate", "{}", 422),
            ("POST", "/batch", " " * 1_000_001, 413),
        ],
    )
    def test_is_on_every_problem_and_no_problem_is_kept(
        self, client: TestClient, method: str, path: str, content: str | None, status: int
    ) -> None:
        response = client.request(method, path, content=content, headers={"content-type": "application/json"})
        assert response.status_code == status
        assert response.headers["catalog-version"] == self.EXPECTED
        assert "etag" not in response.headers
        assert response.headers["cache-control"] == "no-store"

    def test_is_on_a_failure_of_the_service(self) -> None:
        app = create_app()

        @app.get("/failing")
        async def failing() -> None:
            raise RuntimeError("a bug")

        response = TestClient(app, raise_server_exceptions=False).get("/failing")
        assert response.status_code == 500
        assert response.headers["catalog-version"] == self.EXPECTED

"""What the service says to requests it cannot answer: always an RFC 9457 problem, always what would do, never a 500.

The tables read: what is wrong, how the request says it, and the words of the answer that help.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import reduce
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from mlsysim.catalog.loader import merge_patch
from mlsysim.catalog.types import Entry
from mlsysim.engine.description import named_configurations
from mlsysim.engine.registry import scenario_classes
from mlsysim.fields import Needs, QuantityType, RealType, Shape, shape_of
from service.app import create_app

AMDAHL = "/scenarios/AmdahlScenario/evaluate"
ROOFLINE = "/scenarios/RooflinePointScenario/evaluate"
REQUEST_PATH = {"stages": {"model": "60 ms", "rest": "40 ms"}, "stage": "model", "speedup": 2}
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client


def strictly(text: str) -> Any:
    """The JSON value of a text, which has to be JSON as RFC 8259 means it: no NaN and no Infinity."""

    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON: {text[:500]}")

    return json.loads(text, parse_constant=refuse)


def assert_problem(response: httpx2.Response, status: int, type: str) -> Any:
    """The problem that the response is, with all that every problem has."""
    assert response.status_code == status, response.text[:500]
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    problem = strictly(response.text)
    assert problem["type"] == f"urn:mlsysim:{type}"
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    assert problem["instance"].startswith("/")
    assert len(problem.get("errors", [])) <= 20
    for error in problem.get("errors", []):
        assert error["pointer"] == "" or error["pointer"].startswith("/")
        assert error["message"]
        assert len(error.get("received") or "") <= 100
    return problem


def post(client: TestClient, path: str, content: bytes | str | Iterator[bytes]) -> httpx2.Response:
    """The answer to a body that need not be JSON."""
    return client.post(path, content=content, headers=JSON)


# Bodies that are no JSON, or say what no JSON means.

BODIES: list[tuple[str, bytes | str, str]] = [
    ("nothing", b"", "the body is empty; send at least {}"),
    ("spaces", b" \r\n\t", "the body is empty; send at least {}"),
    ("words", "speedup = 2", "the body is not JSON: Expecting value at line 1, column 1"),
    ("cut short", '{"speedup": 2', "the body is not JSON: Expecting ',' delimiter at line 1, column 14"),
    ("a comma too many", '{"speedup": 2,}', "the body is not JSON"),
    ("single quotes", "{'speedup': 2}", "the body is not JSON: Expecting property name enclosed in double quotes"),
    ("a comment", "{} // nothing", "the body is not JSON: Extra data at line 1, column 4"),
    ("two values", "{}{}", "the body is not JSON: Extra data at line 1, column 3"),
    ("a control character", b'{"stage": "a\x01"}', "Invalid control character at line 1, column 13"),
    ("a number with a leading zero", '{"speedup": 02}', "the body is not JSON"),
    ("a hexadecimal number", '{"speedup": 0x2}', "the body is not JSON"),
    ("NaN", '{"speedup": NaN}', "the body has NaN, which is no JSON number"),
    ("Infinity", '{"speedup": Infinity}', "the body has Infinity, which is no JSON number"),
    ("minus Infinity", '{"speedup": -Infinity}', "the body has -Infinity, which is no JSON number"),
    ("NaN deep within", '{"stages": {"model": [NaN]}}', "the body has NaN, which is no JSON number"),
    ("1e999", '{"speedup": 1e999}', "the number 1e999, which is too large for a double"),
    ("-1e999", '{"speedup": -1e999}', "the number -1e999, which is too large for a double"),
    ("1e-999", '{"speedup": 1e-999}', "the number 1e-999, which is too small for a double"),
    ("5 000 digits", f'{{"speedup": {"7" * 5000}}}', "a whole number of 5000 digits, which is too large for a double"),
    ("5 000 digits and a fraction", f'{{"speedup": {"7" * 5000}.5}}', "which is too large for a double"),
    ("a key twice", '{"speedup": 1, "speedup": 2}', 'the body has the key "speedup" twice in one object'),
    ("a key twice, escaped", '{"speedup": 1, "speed\\u0075p": 2}', 'the body has the key "speedup" twice'),
    ("a key twice within", '{"stages": {"a": "1 s", "a": "2 s"}}', 'the body has the key "a" twice in one object'),
    ("Latin-1", '{"stage": "größe"}'.encode("latin-1"), "the body is not UTF-8: byte 13 is none of it"),
    ("bytes of no encoding", b'{"stage": "\xff"}', "the body is not UTF-8: byte 11 is none of it"),
    ("UTF-16", "{}".encode("utf-16"), "the body is not UTF-8: byte 0 is none of it"),
    ("UTF-16 without a mark", "{}".encode("utf-16-le"), "the body is not JSON"),
    ("UTF-8 with a byte order mark", b"\xef\xbb\xbf{}", "the body begins with a byte-order mark"),
    ("half a surrogate pair", '{"stage": "\\ud83d"}', "the body has a lone surrogate, which is no text"),
    ("half a surrogate pair as key", '{"\\ud83d": 1}', "the body has a lone surrogate, which is no text"),
    ("a surrogate pair the wrong way round", '{"stage": "\\ude00\\ud83d"}', "the body has a lone surrogate"),
    ("half a surrogate pair in bytes", b'{"stage": "\xed\xa0\xbd"}', "the body is not UTF-8"),
    ("100 lists deep", "[" * 100 + "]" * 100, "nested more than 32 levels deep"),
    ("100 objects deep", '{"a":' * 100 + "1" + "}" * 100, "nested more than 32 levels deep"),
    ("100 000 lists deep", "[" * 100_000 + "]" * 100_000, "nested more than 32 levels deep"),
    ("100 000 objects deep", '{"a":' * 100_000 + "1" + "}" * 100_000, "nested more than 32 levels deep"),
    ("100 000 lists, none closed", "[" * 100_000, "nested more than 32 levels deep"),
    ("100 000 objects, none closed", '{"a":' * 100_000, "nested more than 32 levels deep"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "words"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_a_body_that_is_not_acceptable_json(client: TestClient, body: bytes | str, words: str) -> None:
    problem = assert_problem(post(client, AMDAHL, body), 400, "malformed-body")

    assert words in problem["detail"]


@pytest.mark.parametrize("body", ["[]", '"text"', "1", "null", "true"])
@pytest.mark.parametrize("path", [AMDAHL, "/scenarios/ModelSpeedupRequestPath/evaluate"])
def test_a_body_that_is_no_object(client: TestClient, path: str, body: str) -> None:
    problem = assert_problem(post(client, path, body), 422, "invalid-inputs")

    assert problem["errors"] == [
        {"pointer": "", "message": f"the body = {body} must be an object", "received": body},
    ]


@pytest.mark.parametrize(
    ("content_type", "received"),
    [
        (None, "no content type"),
        ("", "no content type"),
        ("text/plain", '"text/plain"'),
        ("text/json", '"text/json"'),
        ("application/x-www-form-urlencoded", '"application/x-www-form-urlencoded"'),
        ("multipart/form-data; boundary=x", '"multipart/form-data"'),
        ("application/jsonl", '"application/jsonl"'),
        ("x" * 5000, "x" * 100),
    ],
)
def test_a_body_of_another_content_type(client: TestClient, content_type: str | None, received: str) -> None:
    headers = {} if content_type is None else {"content-type": content_type}

    response = client.post(AMDAHL, content=json.dumps(REQUEST_PATH), headers=headers)

    problem = assert_problem(response, 415, "unsupported-media-type")
    assert received in problem["detail"]
    assert "application/json would do" in problem["detail"]
    assert len(problem["detail"]) < 200


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_a_content_type_that_will_do(client: TestClient, content_type: str) -> None:
    response = client.post(AMDAHL, content=json.dumps(REQUEST_PATH), headers={"content-type": content_type})

    assert response.status_code == 200


@pytest.mark.parametrize("path", [AMDAHL, f"{AMDAHL}?explain=true", "/batch"])
@pytest.mark.parametrize("coding", ["gzip", "GZIP", "br", "identity, gzip", "none"])
def test_a_body_that_is_encoded(client: TestClient, path: str, coding: str) -> None:
    response = client.post(path, content=b"{}", headers=JSON | {"content-encoding": coding})

    problem = assert_problem(response, 415, "unsupported-media-type")
    assert problem["detail"] == f'the body has content encoding "{coding.lower()}"; sending it as it is would do'
    assert response.headers["accept-encoding"] == "identity"


def test_a_body_that_says_it_is_not_encoded(client: TestClient) -> None:
    headers = JSON | {"content-encoding": "identity"}

    assert client.post(AMDAHL, content=json.dumps(REQUEST_PATH), headers=headers).status_code == 200


@pytest.mark.parametrize("innermost", ["", "1", "{}"])
def test_a_body_nested_as_deep_as_may_be(client: TestClient, innermost: str) -> None:
    depth = 32 - (innermost == "{}")

    assert_problem(post(client, AMDAHL, "[" * depth + innermost + "]" * depth), 422, "invalid-inputs")
    problem = assert_problem(
        post(client, AMDAHL, "[" * (depth + 1) + innermost + "]" * (depth + 1)), 400, "malformed-body"
    )
    assert "more than 32 levels" in problem["detail"]


@pytest.mark.parametrize("as_chunks", [False, True], ids=["length declared", "in chunks"])
def test_a_body_of_30_megabytes(client: TestClient, as_chunks: bool) -> None:
    chunks = (b" " * 1_000_000 for _ in range(30))

    problem = assert_problem(post(client, AMDAHL, chunks if as_chunks else b"".join(chunks)), 413, "body-too-large")

    assert problem["detail"] == "the body is larger than the limit of 1,000,000 bytes"


@pytest.mark.parametrize(
    ("declared", "most_chunks"), [([], 11), ([(b"content-length", b"30000000")], 0)], ids=["undeclared", "declared"]
)
def test_an_endless_body_is_not_read_beyond_the_limit(declared: list[tuple[bytes, bytes]], most_chunks: int) -> None:
    read, sent = 0, []

    async def receive() -> dict[str, Any]:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b" " * 100_000, "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": AMDAHL,
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), *declared],
    }
    asyncio.run(create_app()(scope, receive, send))

    assert sent[0]["status"] == 413
    assert read <= most_chunks


# Inputs that are JSON but do not do. Each row changes one input of a request that is answered.

INPUTS: list[tuple[str, dict[str, Any], str, str]] = [
    ("a number in quotes", {"speedup": "1.5"}, "/speedup", 'speedup = "1.5" must be a number, or inf in quotes'),
    ("true for a number", {"speedup": True}, "/speedup", "speedup = true must be a number"),
    ("null for a required input", {"speedup": None}, "/speedup", "speedup = null must be a number"),
    ("a list for a number", {"speedup": [2]}, "/speedup", "speedup = [2] must be a number"),
    ("a quantity for a number", {"speedup": {"value": 2, "unit": "s"}}, "/speedup", "must be a number"),
    ("the word Infinity", {"speedup": "Infinity"}, "/speedup", 'speedup = "Infinity" must be a number, or inf'),
    ("a negative infinity", {"speedup": "-inf"}, "/speedup", 'speedup = "-inf" must be a number, or inf in quotes'),
    ("a speedup of zero", {"speedup": 0}, "/speedup", "speedup = 0 must be greater than 0"),
    ("a negative speedup", {"speedup": -2}, "/speedup", "speedup = -2 must be greater than 0"),
    ("400 digits", {"speedup": 10**399}, "/speedup", "is too large for a double"),
    ("a number for a name", {"stage": 5}, "/stage", "stage = 5 must be a text"),
    ("a misspelled stage", {"stage": "modle"}, "/stage", "one of keys(stages): model or rest; did you mean model?"),
    ("a misspelled input", {"sppedup": 2}, "/sppedup", "sppedup is not known here"),
    ("a list for a map", {"stages": ["60 ms"]}, "/stages", 'stages = ["60 ms"] must be an object'),
    ("no stage at all", {"stages": {}}, "/stages", "stages = {} must have at least 1 item"),
    ("a path of no time", {"stages": {"model": "0 s"}}, "/stages", "sum(values(stages)) > 0 (the path must take some"),
]


@pytest.mark.parametrize(("change", "pointer", "words"), [row[1:] for row in INPUTS], ids=[row[0] for row in INPUTS])
def test_an_input_that_does_not_do(client: TestClient, change: dict[str, Any], pointer: str, words: str) -> None:
    response = client.post(AMDAHL, json=REQUEST_PATH | change)

    problem = assert_problem(response, 422, "invalid-inputs")
    (error,) = problem["errors"]
    assert error["pointer"] == pointer
    assert words in error["message"]
    assert problem["detail"] == error["message"]


BARE = "is a bare number, where a time needs its unit: us, ms, s, min, h, day would do"
NO_TIME = 'must be a time such as "10 us"'
FORM = 'must have "value" and "unit", or "ref" with the name of a catalog constant, and nothing else'
TIMES: list[tuple[str, Any, str]] = [
    ("a bare number", 60, f'stages.model = 60 {BARE}, as in "60 us"'),
    ("a bare fraction", 0.5, f'stages.model = 0.5 {BARE}, as in "0.5 us"'),
    ("true", True, NO_TIME),
    ("null", None, NO_TIME),
    ("a list", [60], NO_TIME),
    ("a text without a number", "fast", NO_TIME),
    ("an endless text", "60 ms" * 999, NO_TIME),
    ("a text without a unit", "60", 'stages.model = "60" needs a unit: us, ms, s, min, h, day would do'),
    ("an unknown unit", "60 mss", 'stages.model = "60 mss" has no known unit "mss"; did you mean ms or s?'),
    ("another dimension", "60 MB", 'stages.model = "60 MB" is an amount of data, where a time is expected: us, ms'),
    ("a negative time", "-60 ms", 'stages.model = "-60 ms" must be at least 0'),
    ("a time beyond a double", "1e308 year", 'stages.model = "1e308 year" is too large for a double'),
    ("no value and no unit", {}, FORM),
    ("a value without a unit", {"value": 1}, FORM),
    ("a unit without a value", {"unit": "ms"}, FORM),
    ("more than value and unit", {"value": 1, "unit": "ms", "by": "me"}, FORM),
    ("a value and a ref", {"value": 1, "ref": "kernel_launch"}, FORM),
    ("a value in quotes", {"value": "1", "unit": "ms"}, "has a value that must be a number"),
    ("a value of true", {"value": True, "unit": "ms"}, "has a value that must be a number"),
    ("a value of null", {"value": None, "unit": "ms"}, "has a value that must be a number"),
    ("an infinite value", {"value": "inf", "unit": "ms"}, "has a value that must be a number"),
    ("a value beyond a double", {"value": 1e308, "unit": "year"}, "is too large for a double"),
    ("a unit that is a number", {"value": 1, "unit": 5}, 'has a unit that is no text; write one such as "us"'),
    ("an empty unit", {"value": 1, "unit": ""}, 'has no known unit ""; us, ms, s, min, h, day would do'),
    ("an endless unit", {"value": 1, "unit": "m" * 999}, f'has no known unit "{"m" * 39}…"; us, ms, s, min, h, day'),
    ("a unit of another dimension", {"value": 1, "unit": "GB"}, "is an amount of data, where a time is expected"),
    ("an unknown constant", {"ref": "nope"}, "names no constant of the catalog: there is no entry of constants"),
    ("a misspelled constant", {"ref": "kernel_lunch"}, "did you mean kernel_launch?"),
    ("a constant that is a price", {"ref": "fleet_gpu_hour"}, "is a price per time, where a time is expected"),
    ("a ref that is a number", {"ref": 5}, "has a ref that is no text; it is the key of a catalog constant"),
]


@pytest.mark.parametrize(("time", "words"), [row[1:] for row in TIMES], ids=[row[0] for row in TIMES])
def test_a_time_that_does_not_do(client: TestClient, time: Any, words: str) -> None:
    response = client.post(AMDAHL, json=REQUEST_PATH | {"stages": {"model": time}})

    (error,) = assert_problem(response, 422, "invalid-inputs")["errors"]
    assert error["pointer"] == "/stages/model"
    assert words in error["message"]


def test_a_required_input_that_is_not_there(client: TestClient) -> None:
    problem = assert_problem(client.post(AMDAHL, json={}), 422, "invalid-inputs")

    assert problem["detail"] == "3 things are wrong: stages is missing; …"
    assert problem["errors"] == [
        {"pointer": f"/{name}", "message": f"{name} is missing", "received": None}
        for name in ("stages", "stage", "speedup")
    ]


def test_taking_a_required_input_out_of_a_named_configuration(client: TestClient) -> None:
    response = client.post("/scenarios/ModelSpeedupRequestPath/evaluate", json={"speedup": None})

    problem = assert_problem(response, 422, "invalid-inputs")
    assert problem["detail"] == "speedup is missing"


def test_no_more_than_20_of_many_errors_are_listed(client: TestClient) -> None:
    stages = {f"stage {number}": number for number in range(30)}

    problem = assert_problem(client.post(AMDAHL, json=REQUEST_PATH | {"stages": stages}), 422, "invalid-inputs")

    assert [error["pointer"] for error in problem["errors"]] == [f"/stages/stage {number}" for number in range(20)]
    assert problem["detail"].startswith("30 things are wrong (the first 20 are listed): stages.stage 0 = 0 is a bare")


@pytest.mark.parametrize("speedup", ["x" * 5000, {"x": "y" * 5000}, ["x"] * 5000, 10**399, "\N{PILE OF POO}" * 5000])
def test_no_more_than_100_characters_of_what_was_received(client: TestClient, speedup: Any) -> None:
    problem = assert_problem(client.post(AMDAHL, json=REQUEST_PATH | {"speedup": speedup}), 422, "invalid-inputs")

    (error,) = problem["errors"]
    assert len(error["received"]) == 100
    assert error["received"].endswith("…")
    assert len(error["message"]) < 200


LONG_NAMES = [
    ("an unknown input", {"k" * 5000: 1}),
    ("a stage", {"stages": {"k" * 5000: "1 ms"}}),
    ("one of 1 000 stages", {"stages": {f"stage {number}": "1 ms" for number in range(1000)}, "stage": "x"}),
]


@pytest.mark.parametrize("change", [row[1] for row in LONG_NAMES], ids=[row[0] for row in LONG_NAMES])
def test_messages_stay_short_however_long_the_names(client: TestClient, change: dict[str, Any]) -> None:
    problem = assert_problem(client.post(AMDAHL, json=REQUEST_PATH | change), 422, "invalid-inputs")

    assert len(problem["detail"]) < 1000
    assert all(len(error["message"]) < 1000 for error in problem["errors"])


@pytest.mark.parametrize(
    ("stage", "escaped"),
    [
        ("read/write", "read~1write"),
        ("~home", "~0home"),
        ("~1", "~01"),
        ("a/b~c", "a~1b~0c"),
        ("", ""),
        ("0", "0"),
        ("a.b", "a.b"),
        ("[key]", "[key]"),
        ("Größe 模型 \N{PILE OF POO}", "Größe 模型 \N{PILE OF POO}"),
        ("line\nfeed\x00\x1b[31m", "line\nfeed\x00\x1b[31m"),
        ('quote" and \\', 'quote" and \\'),
    ],
)
def test_a_pointer_leads_to_a_stage_of_any_name(client: TestClient, stage: str, escaped: str) -> None:
    response = client.post(AMDAHL, json=REQUEST_PATH | {"stages": {stage: 60}, "stage": stage})

    problem = assert_problem(response, 422, "invalid-inputs")
    assert [error["pointer"] for error in problem["errors"]] == [f"/stages/{escaped}"]


@pytest.mark.parametrize("stage", ["Größe 模型 \N{PILE OF POO}", "a/b~c", "", "line\nfeed\x00", "[key]", "__class__"])
def test_a_stage_may_have_any_name(client: TestClient, stage: str) -> None:
    answer = client.post(AMDAHL, json=REQUEST_PATH | {"stages": {stage: "60 ms"}, "stage": stage})

    assert answer.status_code == 200
    assert answer.json()["inputs"]["stages"] == {stage: {"value": 60, "unit": "ms"}}


# Hardware: a catalog key, an object of one's own, or a key with changes.


def chip(**compute: Any) -> dict[str, Any]:
    """A device of one's own."""
    return {"name": "my chip", "compute": compute, "memory": {"bandwidth": "1 GB/s"}}


NO_PEAK = "is not stated, and this scenario needs it"
HARDWARE: list[tuple[str, Any, str, str]] = [
    ("an unknown key", "H1O0", "", 'no entry of hardware in the catalog named "H1O0"; did you mean H100'),
    ("a key in lower case", "h100", "", 'no entry of hardware in the catalog named "h100"; did you mean H100'),
    ("a key like no other", "abacus", "", 'there is no entry of hardware in the catalog named "abacus"'),
    ("an empty key", "", "", 'there is no entry of hardware in the catalog named ""'),
    ("a model's key", "Llama3_8B", "", "names no entry of the catalog"),
    ("a ref to an unknown key", {"ref": "H1O0"}, "", 'named "H1O0"; did you mean H100'),
    ("a ref that is a number", {"ref": 5}, "", "has a ref that is no text; it is the key of a catalog entry"),
    ("a number", 5, "", "hardware = 5 must be the key of an entry of hardware, or an object"),
    ("null", None, "", "hardware = null must be the key of an entry of hardware, or an object"),
    ("a list", ["H100"], "", 'hardware = ["H100"] must be the key of an entry of hardware, or an object'),
    ("a misspelled figure", chip(peak="1 TFLOP/s", peek=1), "/compute/peek", "is not known here; did you mean peak?"),
    ("a misspelled change", {"ref": "H100", "memory": {"bandwith": "4 TB/s"}}, "/memory/bandwith", "mean bandwidth, "),
    ("a misspelled figure taken away", {"ref": "H100", "memory": {"bandwith": None}}, "", "did you mean bandwidth, "),
    ("a bare figure", chip(peak=1), "/compute/peak", "is a bare number, where an operation rate needs its unit"),
    ("another dimension", chip(peak="1 GB/s"), "/compute/peak", "is a data rate, where an operation rate is expected"),
    ("a peak of nothing", chip(peak="0 FLOP/s"), "/compute/peak", "must be greater than 0"),
    ("a bare rate", chip(peak="1 TFLOP/s", rates={"fp16": 1}), "/compute/rates/fp16", "is a bare number"),
    ("a chip without a peak", chip(), "/compute/peak", NO_PEAK),
    ("a key less its peak", {"ref": "H100", "compute": {"peak": None}}, "/compute/peak", NO_PEAK),
    ("a change that is a mere amount", {"ref": "H100", "memory": {"bandwidth": "4 TB"}}, "/memory/bandwidth", "amount"),
    ("a change of nothing there is", {"ref": "H100", "memroy": {}}, "/memroy", "is not known here"),
    ("a link less its bandwidth", {"ref": "H100", "host_link": {"bandwidth": None}}, "/host_link", "no bandwidth"),
]


@pytest.mark.parametrize(
    ("hardware", "pointer", "words"), [row[1:] for row in HARDWARE], ids=[row[0] for row in HARDWARE]
)
def test_hardware_that_does_not_do(client: TestClient, hardware: Any, pointer: str, words: str) -> None:
    response = client.post(ROOFLINE, json={"hardware": hardware, "intensity": "10 FLOP/byte"})

    (error,) = assert_problem(response, 422, "invalid-inputs")["errors"]
    assert error["pointer"] == f"/hardware{pointer}"
    assert words in error["message"]


def test_a_catalog_entry_that_lacks_a_figure_is_pointed_to_as_the_input_it_is(client: TestClient) -> None:
    response = client.post(
        "/scenarios/SingleNodeInferenceScenario/evaluate", json={"workload": "OPT_13B", "hardware": "H100"}
    )

    problem = assert_problem(response, 422, "invalid-inputs")
    (error,) = problem["errors"]
    assert error["pointer"] == "/workload"
    assert "states no inference_flops, which this scenario needs" in error["message"]
    assert error["received"] == '"OPT_13B"'


def test_a_figure_that_was_never_given_is_not_shown_as_received(client: TestClient) -> None:
    response = client.post(ROOFLINE, json={"hardware": chip(), "intensity": "10 FLOP/byte"})

    (error,) = assert_problem(response, 422, "invalid-inputs")["errors"]
    assert error["message"] == "hardware.compute.peak is not stated, and this scenario needs it"
    assert error.get("received") is None


@pytest.mark.parametrize(
    ("fleet", "pointer", "words"),
    [
        ({"node": "DGX_H10", "count": 2}, "/fleet/node", "did you mean DGX_H100"),
        ({"node": {"accelerator": "H10"}, "count": 2}, "/fleet/node/accelerator", "did you mean H100"),
        ({"ref": "Lab_64_A100", "count": 0}, "/fleet/count", "fleet.count = 0 must be at least 1"),
        ({"ref": "Lab_64_A100", "node": {"accelerators_per_node": 2.5}}, "/fleet/node/accelerators_per_node", "whole"),
    ],
)
def test_a_fleet_is_pointed_into(client: TestClient, fleet: Any, pointer: str, words: str) -> None:
    response = client.post(
        "/scenarios/SelfContainedReplicaScenario/evaluate",
        json={"workload": "Llama3_8B", "fleet": fleet, "bytes_per_param": "2 B"},
    )

    (error,) = assert_problem(response, 422, "invalid-inputs")["errors"]
    assert error["pointer"] == pointer
    assert words in error["message"]


# Paths, methods and queries.

PATHS: list[tuple[str, str, int, str, str]] = [
    ("GET", "/", 404, "not-found", "there is nothing at this path; GET /openapi.json lists all there is"),
    ("GET", "/scenario", 404, "not-found", "nothing at this path"),
    ("GET", "/scenarios/", 404, "not-found", "nothing at this path"),
    ("GET", "/catalog//hardware", 404, "not-found", "nothing at this path"),
    ("GET", "/catalog/hardware/H100/", 404, "not-found", "nothing at this path"),
    ("GET", "/catalog/hardware/%2e%2e%2fH100", 404, "not-found", "nothing at this path"),
    ("GET", "/docs/%2e%2e%2fsettings.py", 404, "not-found", "nothing at this path"),
    ("GET", "/docs/nothing.js", 404, "not-found", "nothing at this path"),
    ("GET", "/scenarios/AmdalScenario", 404, "unknown-name", '"AmdalScenario"; did you mean AmdahlScenario'),
    ("POST", "/scenarios/AmdalScenario/evaluate", 404, "unknown-name", "did you mean AmdahlScenario"),
    ("POST", "/scenarios/ModelSpeedup/evaluate", 404, "unknown-name", "did you mean ModelSpeedupRequestPath"),
    ("GET", "/catalog/hardwares", 404, "unknown-name", 'no kind of catalog entry "hardwares"; did you mean hardware?'),
    ("GET", "/catalog/hardware/H1O0", 404, "unknown-name", "did you mean H100"),
    ("GET", "/catalog/hardware/h100", 404, "unknown-name", "did you mean H100"),
    ("GET", "/catalog/configurations/ModelSpeedup", 404, "unknown-name", "did you mean ModelSpeedupRequestPath"),
    ("GET", "/catalog/configurations/%20%20title", 404, "unknown-name", 'there is no named configuration "  title"'),
    ("GET", "/scenarios/%20%20title", 404, "unknown-name", '"  title"'),
    ("GET", "/catalog/hardware/H100%00", 404, "unknown-name", "did you mean H100"),
    ("GET", "/catalog/hardware/H100%0d%0aSet-Cookie:%20a=b", 404, "unknown-name", "there is no entry of hardware"),
    ("GET", "/catalog/hardware/%ff", 404, "unknown-name", "there is no entry of hardware"),
    ("GET", "/catalog/hardware/%zz", 404, "unknown-name", "there is no entry of hardware"),
    ("GET", "/scenarios/%F0%9F%92%A9", 404, "unknown-name", '"\N{PILE OF POO}"'),
    ("GET", "/scenarios/" + "x" * 5000, 404, "unknown-name", f'"{"x" * 99}…"'),
    ("GET", "/catalog/hardware/" + "x" * 50_000, 404, "unknown-name", f'"{"x" * 99}…"'),
    ("GET", "/catalog?kind=hardwares", 404, "unknown-name", "did you mean hardware?"),
    ("GET", "/scenarios?theme=speedups", 404, "unknown-name", 'there is no theme "speedups"; did you mean speedup?'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "status", "type", "words"), PATHS, ids=[f"{row[0]} {row[1][:50]}" for row in PATHS]
)
def test_a_path_that_leads_nowhere(
    client: TestClient, method: str, path: str, status: int, type: str, words: str
) -> None:
    problem = assert_problem(client.request(method, path), status, type)

    assert words in problem["detail"]
    assert len(problem["detail"]) < 500
    assert len(problem["instance"]) <= 1000
    if type == "unknown-name":
        assert all(name in problem["detail"] for name in problem["closest"])


def test_the_closest_names_are_listed(client: TestClient) -> None:
    assert client.get("/catalog/hardware/H1O0").json()["closest"][0] == "H100"


@pytest.mark.parametrize(
    "path",
    [
        "/scenarios/%F0%9F%92%A9",
        "/catalog/hardware/a%20b",
        "/catalog/hardware/H100%0d%0a",
        "/nope%3Fx%23y",
        "/nope//x",
    ],
)
def test_the_instance_is_the_path_as_it_was_sent(client: TestClient, path: str) -> None:
    instance = client.get(path).json()["instance"]

    assert instance == path


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", AMDAHL, "POST"),
        ("PUT", AMDAHL, "POST"),
        ("PATCH", "/scenarios/ModelSpeedupRequestPath/evaluate", "POST"),
        ("POST", "/scenarios/AmdahlScenario", "GET, HEAD"),
        ("DELETE", "/scenarios/AmdahlScenario", "GET, HEAD"),
        ("POST", "/catalog", "GET, HEAD"),
        ("PUT", "/catalog/hardware/H100", "GET, HEAD"),
        ("OPTIONS", "/units", "GET, HEAD"),
        ("TRACE", "/healthz", "GET, HEAD"),
        ("BREW", "/version", "GET, HEAD"),
    ],
)
def test_a_method_that_is_not_answered(client: TestClient, method: str, path: str, allowed: str) -> None:
    response = client.request(method, path)

    problem = assert_problem(response, 405, "method-not-allowed")
    assert response.headers["allow"] == allowed
    assert problem["detail"] == f"{method} is not answered here; {allowed} would do"


QUERIES = [
    ("POST", AMDAHL, "explain", "maybe", "explain = maybe must be true or false"),
    ("POST", AMDAHL, "units", "imperial", "'display' or 'si'"),
    ("POST", AMDAHL, "units", "SI", "'display' or 'si'"),
    ("POST", AMDAHL, "units", "", "'display' or 'si'"),
    ("POST", AMDAHL, "unit", "si", "unit is no query parameter here; did you mean units?"),
    ("GET", "/catalog", "limits", "3", "limits is no query parameter here; did you mean limit?"),
    ("GET", "/catalog", "x" * 5000, "3", f"{'x' * 99}… is no query parameter here; "),
    ("GET", "/scenarios/AmdahlScenario", "x", "1", "x is no query parameter here; there are none"),
    ("GET", "/units", "units", "si", "units is no query parameter here; there are none"),
    ("GET", "/openapi.json", "x", "1", "x is no query parameter here; there are none"),
    ("GET", "/catalog", "limit", "0", "1"),
    ("GET", "/catalog", "limit", "-1", "1"),
    ("GET", "/catalog", "limit", "1001", "1000"),
    ("GET", "/catalog", "limit", "1.5", "whole number"),
    ("GET", "/catalog", "limit", "many", "whole number"),
    ("GET", "/catalog", "limit", "", "whole number"),
    ("GET", "/catalog", "limit", "9" * 5000, "whole number"),
    ("GET", "/catalog", "q", "x" * 101, "100 characters"),
    ("GET", "/catalog", "cursor", "", "leave it out to start anew"),
    ("GET", "/catalog", "cursor", "nothing", "leave it out to start anew"),
    ("GET", "/catalog", "cursor", "é", "leave it out to start anew"),
    ("GET", "/catalog", "cursor", "aGFyZHdhcmUvSDFPMA==", "leave it out to start anew"),  # hardware/H1O0
    ("GET", "/catalog/models", "cursor", "aGFyZHdhcmUvSDEwMA==", "leave it out to start anew"),  # hardware/H100
]
QUERY_IDS = [f"{path}?{parameter[:20]}={value[:20]}" for _, path, parameter, value, _ in QUERIES]


@pytest.mark.parametrize(("method", "path", "parameter", "value", "words"), QUERIES, ids=QUERY_IDS)
def test_a_query_that_does_not_do(
    client: TestClient, method: str, path: str, parameter: str, value: str, words: str
) -> None:
    body = REQUEST_PATH if method == "POST" else None

    problem = assert_problem(client.request(method, path, params={parameter: value}, json=body), 422, "invalid-query")

    assert words in problem["detail"]
    (error,) = problem["errors"]
    assert error["parameter"] == (parameter if len(parameter) <= 100 else parameter[:99] + "…")
    assert error["received"] == (value if len(value) <= 100 else value[:99] + "…")


@pytest.mark.parametrize(("parameter", "value"), [("limit", "0"), ("limit", "many"), ("cursor", "nothing")])
def test_the_detail_names_the_query_parameter(client: TestClient, parameter: str, value: str) -> None:
    problem = assert_problem(client.get("/catalog", params={parameter: value}), 422, "invalid-query")

    assert parameter in problem["detail"]


def test_a_query_in_bytes_of_no_encoding(client: TestClient) -> None:
    assert_problem(client.get("/catalog?cursor=%ff"), 422, "invalid-query")
    assert_problem(client.get("/catalog?limit=%ff"), 422, "invalid-query")
    assert client.get("/catalog?q=%ff").json()["count"] == 0


# Valid inputs whose answer a double cannot hold.


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ({"model": "1e308 s", "rest": "1e308 s"}, "total_time"),  # their sum
        ({"model": "1e306 s", "rest": "1 s"}, "double"),  # 1e309 ms, as which it would be shown
        ({"model": {"value": 1e308, "unit": "s"}}, "double"),
    ],
)
def test_an_answer_beyond_a_double(client: TestClient, stages: dict[str, Any], words: str) -> None:
    response = client.post(AMDAHL, json=REQUEST_PATH | {"stages": stages})

    problem = assert_problem(response, 422, "out-of-range")
    assert words in problem["detail"]


MAGNITUDES = [0, 5e-324, 2**53 + 1, 1e300, 1.7e308]


def at_magnitude(shape: Shape, magnitude: float, stated: Any) -> Any:
    """The stated input with every number in it of that magnitude; None where there is none in it."""
    if isinstance(stated, dict) and shape.container == "map":
        assert shape.item is not None
        return {name: at_magnitude(shape.item, magnitude, value) for name, value in stated.items()}
    if isinstance(stated, list) and shape.container == "list":
        assert shape.item is not None
        return [at_magnitude(shape.item, magnitude, value) for value in stated]
    if isinstance(shape.type, QuantityType):
        return {"value": magnitude, "unit": shape.type.dimension.si}
    if isinstance(shape.type, RealType):
        return magnitude
    needs = [path for mark in shape.metadata if isinstance(mark, Needs) for path in mark.paths]
    if shape.model is not None and issubclass(shape.model, Entry) and isinstance(stated, str) and needs:
        return reduce(merge_patch, (figure_at(shape.model, path, magnitude) for path in needs), {"ref": stated})
    return None


def figure_at(model: Any, path: str, magnitude: float) -> dict[str, Any]:
    """The object that states the figure at that path."""
    name, _, rest = path.partition(".")
    shape = shape_of(model.model_fields[name])
    return {name: figure_at(shape.model, rest, magnitude) if rest else at_magnitude(shape, magnitude, None)}


def numbers(value: Any) -> Iterator[Any]:
    """What stands for a number of a quantity anywhere in an answer."""
    if isinstance(value, dict) and value.keys() == {"value", "unit"}:
        yield value["value"]
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)


def assert_answered(response: httpx2.Response) -> None:
    """That the answer is a result of finite numbers, or a problem of the request."""
    if response.status_code == 200:
        assert None not in numbers(strictly(response.text)), response.text[:500]
    else:
        assert 400 <= response.status_code < 500, response.text[:500]
        assert_problem(response, response.status_code, response.json()["type"].removeprefix("urn:mlsysim:"))


@pytest.mark.parametrize("name", scenario_classes())
def test_an_extreme_magnitude_is_answered_or_out_of_range(client: TestClient, name: str) -> None:
    configuration = named_configurations(scenario_classes()[name])[0]
    extremes = [
        {input: changed}
        for input, spec in scenario_classes()[name].inputs().items()
        for magnitude in MAGNITUDES
        if (changed := at_magnitude(spec.shape, magnitude, configuration.inputs.get(input))) is not None
    ]

    for change in extremes:
        response = client.post(f"/scenarios/{name}/evaluate", json=configuration.inputs | change)
        assert response.status_code in (200, 422), f"{change}: {response.text[:500]}"
        assert_answered(response)


# Anything at all.

TEXTS = st.text(max_size=20) | st.sampled_from(
    ["60 ms", "1e308 year", "inf", "H100", "Llama3_8B", "fp16", "2 B", "[key]"]
)
NUMBERS = st.integers(-(10**400), 10**400) | st.integers(-3, 9) | st.floats(allow_nan=False, allow_infinity=False)
QUANTITIES = st.fixed_dictionaries({"value": NUMBERS | TEXTS, "unit": TEXTS}) | st.fixed_dictionaries({"ref": TEXTS})
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS | QUANTITIES
INPUT_NAMES = sorted({name for scenario in scenario_classes().values() for name in scenario.inputs()})
KEYS = st.sampled_from(INPUT_NAMES) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)
NAMES = st.sampled_from(list(scenario_classes()))


@settings(max_examples=200)
@given(NAMES, VALUES)
def test_any_json_is_answered(client: TestClient, name: str, body: Any) -> None:
    assert_answered(client.post(f"/scenarios/{name}/evaluate", json=body))


@pytest.mark.parametrize("name", scenario_classes())
@settings(max_examples=20)
@given(data=st.data())
def test_any_json_in_place_of_a_valid_input_is_answered(client: TestClient, name: str, data: st.DataObject) -> None:
    inputs = data.draw(st.sampled_from(named_configurations(scenario_classes()[name]))).inputs
    changed = data.draw(st.sets(st.sampled_from(list(scenario_classes()[name].inputs())), min_size=1, max_size=2))

    body = inputs | {input: data.draw(VALUES) for input in sorted(changed)}

    assert_answered(client.post(f"/scenarios/{name}/evaluate", json=body))


@settings(max_examples=200)
@given(NAMES, st.binary(max_size=100), st.integers(0, 60), st.integers(0, 20))
def test_any_bytes_are_answered(client: TestClient, name: str, bytes_: bytes, start: int, length: int) -> None:
    valid = json.dumps(REQUEST_PATH).encode()

    assert_answered(post(client, f"/scenarios/{name}/evaluate", bytes_))
    assert_answered(post(client, AMDAHL, valid[:start] + bytes_[:3] + valid[start + length :]))

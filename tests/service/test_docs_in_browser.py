"""Swagger UI as a person sees it, in a real browser that can reach nothing but the service."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


# By the id of each operation the text of its answers, by status.
SHOWN = """Object.fromEntries([...document.querySelectorAll(".opblock")].map(block => [
  block.id, Object.fromEntries([...block.querySelectorAll(".responses-table .response")].map(answer =>
    ["status", "description"].map(what => answer.querySelector(`.response-col_${what}`).textContent.trim())))
]))"""

expect.set_options(timeout=60_000)  # a slow machine is no broken page


# Closed after this module: while Playwright runs, no other test can run an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        if os.environ.get("CI") == "true":
            pytest.fail("chromium is not installed, and CI has to run the browser tests")
        pytest.skip("chromium is not installed (on Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def test_every_operation_appears_and_all_comes_from_the_service(live_server: str, page: Page) -> None:
    page.goto(f"{live_server}/docs")

    expect(page).to_have_title("mlsysim")
    expect(page.locator(".info .title")).to_contain_text("mlsysim", ignore_case=True)
    document = page.request.get(f"{live_server}/openapi.json").json()
    operations = sum(len(operations) for operations in document["paths"].values())
    expect(page.locator(".opblock")).to_have_count(operations)
    requests = page.requests()
    assert f"{live_server}/openapi.json" in [request.url for request in requests]
    assert [request.url for request in requests if not request.url.startswith((f"{live_server}/", "data:"))] == []
    assert [request.url for request in requests if not _succeeded(request)] == []
    assert [message.text for message in page.console_messages() if message.type == "error"] == []
    assert page.page_errors() == []


def test_every_operation_expands(live_server: str, page: Page) -> None:
    document = page.request.get(f"{live_server}/openapi.json").json()
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    for operation in operations:
        if operation["operationId"] != "evaluateConfiguration":  # it shows the problems, which are the same for all
            operation["responses"] = {"200": operation["responses"]["200"]}
    page.route("**/openapi.json", lambda route: route.fulfill(json=document))
    page.goto(f"{live_server}/docs")
    expect(page.locator(".opblock")).to_have_count(len(operations))
    page.evaluate("document.querySelectorAll('.opblock-summary-control').forEach(each => each.click())")

    expect(page.locator(".opblock.is-open .responses-table")).to_have_count(len(operations))
    shown = page.evaluate(SHOWN)
    for operation in operations:
        answers = shown[f"operations-{operation['tags'][0]}-{operation['operationId']}"]
        assert list(answers) == list(operation["responses"]), operation["operationId"]
        assert operation["responses"]["200"]["description"].replace("`", "") in answers["200"], operation["operationId"]
        for status, text in answers.items():
            assert "Example" in text, (operation["operationId"], status)
            assert status == "200" or f'"status": {status}' in text, (operation["operationId"], status)
    assert [message.text for message in page.console_messages() if message.type == "error"] == []
    assert page.page_errors() == []


@pytest.mark.parametrize("prefix", ["", "/behind/a/proxy"])
def test_try_it_out_evaluates_the_example(live_server: str, page: Page, prefix: str) -> None:
    page.route(f"{live_server}{prefix}/**", lambda route: route.continue_(url=route.request.url.replace(prefix, "", 1)))
    page.goto(f"{live_server}{prefix}/docs")
    operation = page.locator(".opblock", has=page.get_by_text("/scenarios/AmdahlScenario/evaluate", exact=True))
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Execute").click()

    expect(operation.locator(".request-url")).to_contain_text(
        f"{live_server}{prefix}/scenarios/AmdahlScenario/evaluate"
    )
    response = operation.locator(".live-responses-table .response")
    expect(response.locator(".response-col_status")).to_contain_text("200")
    expect(response.locator(".response-col_description")).to_contain_text("total_time")


def _succeeded(request: Request) -> bool:
    response = request.response()
    return response is not None and response.ok

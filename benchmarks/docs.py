"""What Swagger UI costs in headless Chromium: until every operation shows, and to open one; against an empty page.

Wall time of a shared machine means little, so the processor time of the page's main thread stands beside it.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, sync_playwright

ROUNDS = 5
PORT = 18765
URL = f"http://127.0.0.1:{PORT}"
OPERATIONS = ("#operations-speedup-evaluateAmdahlScenario", "#operations-scenarios-evaluateBatch")
PAGES = {
    "/healthz": {"/healthz": "body"},
    "/docs": {"/docs": "#operations-service-getUnits"} | {each: f"{each} .responses-table" for each in OPERATIONS},
}


def wait_for_document() -> None:
    """Wait until the service is up and has built the document."""
    while True:
        try:
            urllib.request.urlopen(f"{URL}/openapi.json").read()
            return
        except urllib.error.URLError:
            time.sleep(0.1)


def opened(browser: Browser, path: str, steps: dict[str, str]) -> dict[str, tuple[float, float]]:
    """For each step seconds until its selector shows, and seconds of processor time of the page's main thread.

    Args:
        browser: a page of which is opened.
        path: of the page.
        steps: what to click on (nothing where it is the path), and what shows then.
    """
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    taken = {}
    for step, shows in steps.items():
        start, used = time.perf_counter(), processor_time(session)
        if step == path:
            page.goto(f"{URL}{path}", wait_until="commit")
            used = 0.0  # the page has a process of its own
        else:
            page.locator(f"{step} .opblock-summary-control").click()
        page.wait_for_selector(shows, state="attached", timeout=120_000)
        taken[step] = time.perf_counter() - start, processor_time(session) - used
    page.close()
    return taken


def processor_time(session: CDPSession) -> float:
    """Seconds of processor time that the main thread of a page has had."""
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["ThreadTime"])


def main() -> None:
    """Print medians in seconds of the documentation, two of its operations, and a page that only shows JSON."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not installed (on Debian: apt-get install chromium)")
    with subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PORT": str(PORT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            wait_for_document()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                rounds = [
                    {
                        step: taken
                        for path, steps in PAGES.items()
                        for step, taken in opened(browser, path, steps).items()
                    }
                    for _ in range(ROUNDS)
                ]
                browser.close()
            for step in rounds[0]:
                wall, cpu = (statistics.median(found[step][index] for found in rounds) for index in (0, 1))
                print(f"{step:50} {wall:6.2f} s until it shows, {cpu:6.2f} s of processor time")
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        finally:
            server.terminate()


if __name__ == "__main__":
    main()

"""What opening Swagger UI costs in headless Chromium, until every operation shows: against an empty page.

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

from playwright.sync_api import Browser, sync_playwright

ROUNDS = 3
PORT = 18765
URL = f"http://127.0.0.1:{PORT}"


def wait_for_document() -> None:
    """Wait until the service is up and has built the document."""
    while True:
        try:
            urllib.request.urlopen(f"{URL}/openapi.json").read()
            return
        except urllib.error.URLError:
            time.sleep(0.1)


def opened(browser: Browser, path: str, selector: str) -> tuple[float, float]:
    """Seconds until the selector shows, and seconds of processor time of the page's main thread."""
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    start = time.perf_counter()
    page.goto(f"{URL}{path}", wait_until="commit")
    page.wait_for_selector(selector, state="attached", timeout=120_000)
    wall = time.perf_counter() - start
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    page.close()
    return wall, metrics["ThreadTime"]


def main() -> None:
    """Print medians in seconds of the documentation and of a page that only shows JSON."""
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
                pages = {"/healthz": "body", "/docs": "#operations-service-getUnits"}
                rounds = [{path: opened(browser, path, shows) for path, shows in pages.items()} for _ in range(ROUNDS)]
                browser.close()
            for path in pages:
                wall, cpu = (statistics.median(found[path][index] for found in rounds) for index in (0, 1))
                print(f"{path:10} {wall:6.2f} s until it shows, {cpu:6.2f} s of processor time")
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        finally:
            server.terminate()


if __name__ == "__main__":
    main()

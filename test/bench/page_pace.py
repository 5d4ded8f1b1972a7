#!/usr/bin/env python3
"""How fast a page of clc-view is, in the trace that the browser writes of itself.

Usage: page_pace.py CHROMIUM PAGE [SECONDS]

Prints a line: CPU time of the page's main thread until its first paint with content, then, while the wheel zooms into the
time lines and out again for SECONDS (default 6): frames a second, the longest time between two frames, and CPU time of the
main thread per frame; messages of the console.
"""
import json
import os
import subprocess
import sys
import tempfile
import time


class Browser:
    """Speaks the protocol of DevTools through a pipe."""

    def __init__(self, chromium, folder):
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()

        def hand_over():
            # 3 and 4, in whatever order they are taken.
            a, b = os.dup(to_child), os.dup(from_child)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
             f"--user-data-dir={folder}", "--window-size=1280,1000", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=hand_over, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": folder})
        os.close(to_child)
        os.close(from_child)
        self.rest = b""
        self.number = 0
        self.events = []

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise SystemExit("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, session=None, **parameters):
        number = self.send(method, session, **parameters)
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, method):
        while True:
            for i, event in enumerate(self.events):
                if event["method"] == method:
                    return self.events.pop(i)
            answer = self.receive()
            if "method" in answer:
                self.events.append(answer)


def trace_of(browser, session, work):
    browser.events = [e for e in browser.events if e["method"] != "Tracing.dataCollected"]
    browser.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": [
        "devtools.timeline", "disabled-by-default-devtools.timeline.frame", "loading", "blink.user_timing", "toplevel",
        "disabled-by-default-devtools.timeline", "rail"]})
    work()
    browser.call("Tracing.end")
    browser.wait_for("Tracing.tracingComplete")
    return [e for found in browser.events if found["method"] == "Tracing.dataCollected" for e in found["params"]["value"]]


def main_thread(events, address):
    """Of the renderer that paints the page: process and thread."""
    for event in events:
        if event["name"] in ("navigationStart", "firstContentfulPaint") and address in json.dumps(event.get("args", {})):
            pid = event["pid"]
            break
    else:
        pid = next(e["pid"] for e in events if e["name"] == "firstContentfulPaint")
    return pid, next(e["tid"] for e in events if e["name"] == "thread_name" and e["pid"] == pid and
                     e["args"]["name"] == "CrRendererMain")


def busy(events, thread, begin, end):
    """CPU time of the tasks of a thread between two times, seconds."""
    return sum(e.get("tdur", 0) for e in events if (e["pid"], e["tid"]) == thread and e["ph"] == "X" and
               e["name"] == "ThreadControllerImpl::RunTask" and begin <= e["ts"] < end) / 1e6


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__.strip())
    chromium, page = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 6
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(chromium, folder)
        try:
            target = browser.call("Target.createTarget", url="about:blank")["targetId"]
            session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                browser.call(f"{domain}.enable", session)
            address = "file://" + os.path.abspath(page)

            def load():
                browser.call("Page.navigate", session, url=address)
                browser.wait_for("Page.loadEventFired")
                time.sleep(1)

            loading = trace_of(browser, session, load)
            thread = main_thread(loading, address)
            paint = min(e["ts"] for e in loading if e["name"] == "firstContentfulPaint" and e["pid"] == thread[0])
            begin = min(e["ts"] for e in loading if e.get("ts"))
            box = browser.call("Runtime.evaluate", session, returnByValue=True, expression="""(() => {
                const box = document.getElementById("timelines"); box.scrollIntoView();
                const r = box.getBoundingClientRect(); return [r.left + r.width * 0.62, r.top + Math.min(200, r.height / 2)]; })()""")
            x, y = box["result"]["value"]

            def zoom():
                until, step = time.monotonic() + seconds, 0
                next_at = time.monotonic()
                while time.monotonic() < until:
                    # About half a second for each factor of 8, in, then out.
                    away = -40 if time.monotonic() < until - seconds / 2 else 40
                    browser.send("Input.dispatchMouseEvent", session, type="mouseWheel", x=x, y=y, deltaX=0, deltaY=away,
                                 modifiers=2)
                    step += 1
                    next_at += 1 / 60
                    time.sleep(max(0, next_at - time.monotonic()))
                browser.call("Runtime.evaluate", session, expression="1")

            zooming = trace_of(browser, session, zoom)
            begin_of = min(e["ts"] for e in zooming if e["name"] == "EventDispatch" and
                           e.get("args", {}).get("data", {}).get("type") == "wheel")
            end_of = max(e["ts"] for e in zooming if e["name"] == "EventDispatch" and
                         e.get("args", {}).get("data", {}).get("type") == "wheel")
            frames = sorted(e["ts"] for e in zooming if e["name"] == "DrawFrame" and begin_of <= e["ts"] <= end_of)
            gaps = [b - a for a, b in zip(frames, frames[1:])]
            cpu = busy(zooming, thread, begin_of, end_of)
            noise = [e for e in browser.events if e["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                                                                  "Log.entryAdded")]
            print(f"first paint {busy(loading, thread, begin, paint):.2f} s of CPU, "
                  f"{(paint - begin) / 1e6:.2f} s; loaded {busy(loading, thread, begin, 1e18):.2f} s of CPU; "
                  f"zooming {len(frames) / (end_of - begin_of) * 1e6:.0f} frames/s, longest pause "
                  f"{max(gaps, default=0) / 1e3:.0f} ms, {cpu / max(1, len(frames)) * 1e3:.1f} ms of CPU a frame; "
                  f"{len(noise)} messages of the console")
            for event in noise[:3]:
                print(json.dumps(event["params"])[:400])
        finally:
            browser.process.kill()
            browser.process.wait()


main()

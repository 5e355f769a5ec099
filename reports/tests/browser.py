#!/usr/bin/env python3
"""browser.py REPORT.html COMMAND...: an HTML report in Chromium, driven over its DevTools protocol.

Commands, in order, each of which prints what it finds:
  names      elements that people operate, and pictures, by role; those without an accessible name
  keys TEXT  presses keys: single characters, or names as Enter and Escape, between blanks
  go ID      follows a link to an element of the page
  shown      what the report says of how many findings are shown
  focus      the start of the accessible name of what has the focus, and whether it is open
  seen       whether the first line of what has the focus is in sight, below what stays at the top
  contrast SCHEME   texts that are too pale on their ground, in the light or dark scheme (WCAG 2, 4.5)
  print      pages of A4
  console    messages and exceptions so far
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

OPERATED = {"link", "button", "searchbox", "textbox", "combobox", "checkbox", "img", "image",
            "DisclosureTriangle", "DisclosureTriangleGrouped", "navigation"}

CONTRAST = r"""
(() => {
    document.querySelectorAll("details").forEach(one => { one.open = true; });
    const channel = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
    const parse = text => text.match(/[\d.]+/g).map(Number);
    const pale = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (walker.currentNode.data.trim() === "" || element.closest("script, svg, .hidden") ||
            !element.checkVisibility()) {
            continue;
        }
        let ground = [255, 255, 255];
        for (let at = element; at !== null; at = at.parentElement) {
            const found = parse(getComputedStyle(at).backgroundColor);
            if (found.length < 4 || found[3] === 1) { ground = found; break; }
        }
        const ink = parse(getComputedStyle(element).color);
        const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) {
            pale.add(element.tagName.toLowerCase() + "." + element.className);
        }
    }
    return [...pale].sort().join(" ");
})()
"""


class Browser:
    """Chromium with one page; commands and answers are JSON in two pipes, ended by zero bytes."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp()
        commands, self.out = os.pipe()
        self.into, answers = os.pipe()

        def child():
            os.dup2(commands, 3, inheritable=True)
            os.dup2(answers, 4, inheritable=True)

        # Copies above 4, so that neither is overwritten before it is copied.
        commands, answers = [os.dup(fd) if fd < 5 else fd for fd in (commands, answers)]
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile], preexec_fn=child, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.session = None
        self.said = []
        self.buffer = b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.call(domain + ".enable")
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("Page.loadEventFired")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        while b"\0" not in self.buffer:
            got = os.read(self.into, 1 << 20)
            if got == b"":
                sys.exit("the browser has ended")
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                                     "Log.entryAdded"):
            self.said.append(json.dumps(message["params"]))
        return message

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(method + ": " + answer["error"]["message"])
                return answer["result"]

    def wait(self, method):
        while self.read().get("method") != method:
            pass

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def tree(self):
        return [node for node in self.call("Accessibility.getFullAXTree")["nodes"]
                if not node["ignored"]]


def text(node, member):
    return node.get(member, {}).get("value", "")


def names(browser):
    # What is out of sight is not laid out, and the tree would not have it.
    browser.value("document.styleSheets[0].insertRule("
                  "'details { content-visibility: visible !important }',"
                  "document.styleSheets[0].cssRules.length)")
    counts = {}
    nameless = []
    for node in browser.tree():
        role = text(node, "role")
        if role in OPERATED:
            counts[role] = counts.get(role, 0) + 1
            if text(node, "name").strip() == "":
                nameless.append(role)
    print("named:", " ".join(sorted(counts)))
    print("without a name:", " ".join(sorted(set(nameless))) or "none")


def keys(browser, wanted):
    for key in wanted.split():
        code = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        more = {"text": code} if code != "" else {}
        if key == "Enter":
            more["windowsVirtualKeyCode"] = 13
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)


def focus(browser):
    print("focus:", browser.value(
        "((e) => e.textContent.slice(0, 40) + (e.parentElement.open ? ' (open)' : ' (closed)'))"
        "(document.activeElement)"))


def contrast(browser, scheme):
    browser.call("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    print("too pale, " + scheme + ":", browser.value(CONTRAST) or "none")
    browser.call("Emulation.setEmulatedMedia", features=[])


def seen(browser):
    time.sleep(0.2)  # some frames
    print("seen:", browser.value("""(() => {
        const one = document.activeElement;
        const box = one.getBoundingClientRect();
        const top = document.getElementById("filter").getBoundingClientRect().bottom;
        return box.top >= top - 1 && box.bottom <= innerHeight + 1 ? "yes"
            : `${one.parentElement.id} from ${box.top} to ${box.bottom} in ${top} to ${innerHeight}`;
    })()"""))


def print_pages(browser):
    pdf = base64.b64decode(browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.7)["data"])
    print("pages:", len(re.findall(rb"/Type\s*/Page\b", pdf)))


def main():
    browser = Browser(sys.argv[1])
    words = iter(sys.argv[2:])
    try:
        for word in words:
            if word == "names":
                names(browser)
            elif word == "keys":
                keys(browser, next(words))
            elif word == "shown":
                print("shown:", browser.value("document.getElementById('shown').textContent"))
            elif word == "focus":
                focus(browser)
            elif word == "go":
                browser.value("location.hash = " + json.dumps(next(words)))
            elif word == "seen":
                seen(browser)
            elif word == "contrast":
                contrast(browser, next(words))
            elif word == "print":
                print_pages(browser)
            elif word == "console":
                print("console:", " ".join(browser.said) or "nothing")
            else:
                sys.exit("no command " + word)
    finally:
        browser.close()


main()

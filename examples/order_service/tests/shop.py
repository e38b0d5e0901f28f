"""The order service as a test sees it: a program that is started, watched and asked over HTTP."""

import base64
import http.client
import http.server
import json
import os
import pathlib
import pty
import queue
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import unittest
import urllib.parse
import uuid

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ""
PATIENCE = 60  # for what takes a second where nothing else runs
NOBODY = "127.0.0.1:1"  # a port where nobody listens

AN_ORDER = {"tenant": "north", "paid_with": "good", "lines": [{"article": "rope", "quantity": 2, "price_cents": 3990}]}


def run(*arguments, through=(), **more):
    """Runs it to its end; with `through`, a program that runs others in a way of its own."""
    return subprocess.run([*through, PROGRAM, *arguments], capture_output=True, text=True, timeout=2 * PATIENCE, **more)


def run_in_terminal(*arguments, size):
    """Runs it to its end in a terminal of so many rows and columns; its exit code and all it wrote, commands to the
    terminal among it."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, size)
    process = subprocess.Popen([PROGRAM, *arguments], stdout=its, stderr=its, start_new_session=True)
    os.close(its)
    written = b"".join(iter(lambda: _read_terminal(ours), b""))
    os.close(ours)
    return process.wait(timeout=PATIENCE), written.decode()


def _read_terminal(ours):
    try:
        return os.read(ours, 65536)
    except OSError:  # nobody has the other side any more
        return b""


def on_screen(written, size):
    """The lines a terminal of that size shows when that was written, and above them those that have left it. Of its
    commands it knows those the shop uses. What follows a full line goes on below, and nothing gets above its top."""
    rows, columns = size
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\033\[A|\033\[2K|\r\n|[^\033\r\n]", written):
        if part == "\033[A":
            row = max(row - 1, len(lines) - rows, 0)
        elif part == "\033[2K":
            lines[row] = ""
        else:
            if part == "\r\n" or column == columns:
                row, column = row + 1, 0
                lines += [""] * (row == len(lines))
            if part != "\r\n":
                lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + 1:]
                column += 1
    return lines


class Shop:
    """A running order service. What it prints is kept, and can be waited for."""

    def __init__(self, *arguments, **more):
        self.process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, start_new_session=True, **more)
        self.lines = []
        self._news = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._news.put(line)
        self._news.put(None)

    def said(self, pattern):
        """The match of the first line with it, whenever that comes."""
        looked_at = 0
        while True:
            for line in self.lines[looked_at:]:
                looked_at += 1
                if found := re.search(pattern, line):
                    return found
            if self._news.get(timeout=PATIENCE) is None and looked_at == len(self.lines):
                raise AssertionError(f"it never said {pattern!r}:\n" + "\n".join(self.lines))

    def port(self):
        return int(self.said(r"http://127\.0\.0\.1:(\d+)/orders")[1])

    def services(self):
        """The processes of its services, where each has one."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(word) for word in children.read_text().split()]

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self):
        """Waits for its end; its exit code and everything it said."""
        code = self.process.wait(timeout=PATIENCE)
        self._reader.join()
        return code, "\n".join(self.lines)


def ended(process):
    """Whether the process behind this descriptor has ended, or does so now."""
    return bool(select.select([process], [], [], PATIENCE)[0])


def ask(port, verb, path, body=None):
    """One request; the status and the JSON of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(verb, path, body if body is None or isinstance(body, (str, bytes)) else json.dumps(body))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def place(port, **changes):
    return ask(port, "POST", "/orders", {**AN_ORDER, **changes})


class Collector:
    """Answers whoever tells of traces with that status."""

    def __init__(self, status):
        self.status = status
        ours = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(ours.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Servers:
    """A virtual host and a database of one's own at the servers of scripts/services; gone again at the end."""

    def __init__(self):
        self.name = "shop_" + uuid.uuid4().hex
        self._management("PUT", f"vhosts/{self.name}")
        self._management("PUT", f"permissions/{self.name}/guest", {"configure": ".*", "write": ".*", "read": ".*"})
        self._sql(f"create database {self.name}")
        self.broker = os.environ["FERRY_RABBITMQ_URL"] + "/" + self.name
        self.database = os.environ["FERRY_POSTGRES_URL"].rpartition("/")[0] + "/" + self.name

    def options(self):
        return ["--broker", self.broker, "--database", self.database]

    def remove(self):
        self._management("DELETE", f"vhosts/{self.name}")
        self._sql(f"drop database {self.name} with (force)")

    @staticmethod
    def _management(verb, path, body=None):
        where = urllib.parse.urlsplit(os.environ["FERRY_RABBITMQ_HTTP"])
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=PATIENCE)
        credentials = base64.b64encode(f"{where.username}:{where.password}".encode()).decode()
        connection.request(verb, f"/api/{path}", json.dumps(body) if body else None,
                           {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status >= 300:
            raise AssertionError(f"{verb} {path}: {answer.status} {answer.read()}")
        connection.close()

    @staticmethod
    def _sql(statement):
        subprocess.run(["psql", "-q", os.environ["FERRY_POSTGRES_URL"], "-c", statement], check=True)


class ShopTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="order_service-test-")
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)  # as SQLite tells it

    def assert_refuses(self, ended, code, sentence):
        """It ended with that code and one line that says what is wrong."""
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertRegex(ended.stderr, rf"^order_service: {sentence}.*\n$")


def main():
    unittest.main(argv=sys.argv[:1])

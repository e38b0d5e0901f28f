"""What drivers of benchmarks that run as programs of their own share: turns at a broker, result lines and tables."""

import base64
import json
import subprocess
import sys
import urllib.parse
import urllib.request


def progress(text):
    print(f"   {text}", file=sys.stderr, flush=True)


def run_program(command):
    """The result line of one turn of a contender."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    result = json.loads(done.stdout.strip().splitlines()[-1])
    result["rate"] = result["messages"] / result["seconds"] if result["seconds"] > 0 else 0
    return result


class Broker:
    """Every turn has a virtual host of its own, so that nobody finds what another one left."""

    def __init__(self, url, http):
        self.url = urllib.parse.urlsplit(url)
        self.http = "http://{0.hostname}:{0.port}/api".format(urllib.parse.urlsplit(http))
        login = f"{self.url.username}:{self.url.password}".encode()
        self.authorization = "Basic " + base64.b64encode(login).decode()
        self.turns = 0

    def ask(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "PUT" else None
        headers = {"Authorization": self.authorization, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.http}/{path}", data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()

    def open_turn(self):
        self.turns += 1
        name = f"turn-{self.turns}"
        self.ask("PUT", f"vhosts/{name}")
        everything = {"configure": ".*", "write": ".*", "read": ".*"}
        self.ask("PUT", f"permissions/{name}/{self.url.username}", everything)
        return name

    def close_turn(self, name):
        self.ask("DELETE", f"vhosts/{name}")

    def address(self, name):
        return f"amqp://{self.url.netloc}/{name}"


class Table:
    """Markdown that is aligned for a terminal, too."""

    def __init__(self, head):
        self.rows = [head]

    def add(self, *cells):
        self.rows.append([str(cell) for cell in cells])

    def print(self):
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        for number, row in enumerate(self.rows):
            print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
            if number == 0:
                print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        print(flush=True)


def figure(value, form="{:,.0f}"):
    return "–" if value is None else form.format(value)


def verdict(holds):
    return "–" if holds is None else "holds" if holds else "MISSED"

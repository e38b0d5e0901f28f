"""apt on a machine that was started a moment ago, and on one without a network."""

import http.server
import socket
import threading
import unittest

from support import ScriptTest

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812 (apt-get)"


class AptIsBusy(ScriptTest):
    def setUp(self):
        super().setUp()
        self.program("sleep", ":")

    def apt_get_fails(self, times, text):
        self.program("apt-get", f"""
            echo "$*" >>"$TEST/calls"
            (($(wc -l <"$TEST/calls") > {times})) || {{ echo "{text}" >&2 && exit 100; }}
            echo done""")

    def test_is_waited_for(self):
        self.apt_get_fails(1, LOCKED)
        run = self.run_commands("apt_update")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(self.lines_of("calls"), ["update", "update"])
        self.assertIn("another apt is at work on this machine; waiting for it", run.stderr)
        self.assertIn("done", run.stdout)

    def test_is_waited_for_when_packages_are_installed(self):
        self.apt_get_fails(2, LOCKED)
        run = self.run_commands("apt_install some-package")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(self.lines_of("calls")), 3)
        self.assertIn("DPkg::Lock::Timeout", self.lines_of("calls")[0])
        self.assertTrue(self.lines_of("calls")[0].endswith(" some-package"))

    def test_is_no_reason_to_try_anything_else_again(self):
        self.apt_get_fails(9, "E: Unable to locate package some-package")
        run = self.run_commands("apt_install some-package")
        self.assertEqual(run.returncode, 100)
        self.assertEqual(len(self.lines_of("calls")), 1)
        self.assertIn("Unable to locate package", run.stdout)


class MirrorTest(ScriptTest):
    """apt's own downloader asks, without what the machine's settings say of proxies and retries."""

    def setUp(self):
        super().setUp()
        settings = self.folder / "apt.conf"
        settings.write_text('Acquire::http::Proxy::127.0.0.1 "DIRECT";\nAcquire::Retries "0";\n')
        self.environment["APT_CONFIG"] = str(settings)

    def mirror_among(self, *addresses):
        lines = "".join(f"echo '{each}'; " for each in addresses)
        return self.run_commands(f"apt_addresses() {{ {lines}}}; debian_mirror")


class Mirrors(MirrorTest):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Archive)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)

    def test_are_tried_until_one_has_the_suite(self):
        run = self.mirror_among(f"{self.address}/older", f"{self.address}/debian")
        self.assertEqual((run.returncode, run.stdout), (0, f"{self.address}/debian\n"))

    def test_without_the_suite_are_told_with_what_they_say(self):
        run = self.mirror_among(f"{self.address}/older")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no mirror in this machine's apt configuration carries Debian 13 (trixie)", run.stderr)
        self.assertIn(f"{self.address}/older/dists/trixie/InRelease  404", run.stderr)


class Archive(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/debian/dists/trixie/InRelease" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class WithoutANetwork(MirrorTest):
    def test_it_is_the_network_that_is_blamed(self):
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            address = f"http://127.0.0.1:{nobody.getsockname()[1]}/debian"
        run = self.mirror_among(address)
        self.assertEqual(run.returncode, 1)
        self.assertIn("no Debian mirror can be reached; is there a network?", run.stderr)
        self.assertIn("Connection refused", run.stderr)
        self.assertNotIn("FERRY_DEBIAN_MIRROR", run.stderr)


if __name__ == "__main__":
    unittest.main()

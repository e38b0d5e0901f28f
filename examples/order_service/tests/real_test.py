"""Whole runs as three processes over RabbitMQ and PostgreSQL."""

import os
import pathlib
import re
import signal
import socket

import shop


class Real(shop.ShopTest):
    def setUp(self):
        super().setUp()
        self.servers = shop.Servers()
        self.addCleanup(self.servers.remove)

    def arguments(self, *more):
        return ["--real", "--folder", self.folder, *self.servers.options(), *more]

    def test_the_books_balance_although_any_of_them_is_killed(self):
        for number, victim in enumerate(("orders", "billing", "shipping")):
            with self.subTest(victim=victim):
                servers = shop.Servers()
                self.addCleanup(servers.remove)
                ended = shop.run("--real", "--orders", "400", "--seed", str(number), "--kill", victim,
                                 *servers.options())
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                self.assertIn(f"{victim} was killed (SIGKILL), and starts again", ended.stdout)
                self.assertIn(f"{victim} is back", ended.stdout)
                self.assertIn("the books balance", ended.stdout)

    def test_one_order_is_enough_for_somebody_to_be_killed(self):
        ended = shop.run(*self.arguments("--orders", "1", "--kill", "orders"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("orders was killed (SIGKILL), and starts again", ended.stdout)
        self.assertIn("the books balance", ended.stdout)

    def test_an_interruption_before_there_is_anybody_who_takes_orders_ends_it_in_peace(self):
        with shop.Shop(*self.arguments("--orders", "1000000")) as running:
            running.said(r" 0 orders, 0 invoices")
            running.interrupt()
            code, said = running.end()
            self.assertEqual(code, 0, said)
            self.assertNotIn("was killed", said)
            self.assertIn("the books balance", said)

    def test_the_list_of_processes_does_not_tell_where_the_servers_are(self):
        with shop.Shop(*self.arguments("--orders", "0")) as running:
            running.port()
            services = running.services()
            self.assertEqual(len(services), 3)
            for service in services:
                words = pathlib.Path(f"/proc/{service}/cmdline").read_text()
                self.assertIn("--service", words)
                self.assertNotIn("://", words)
            running.interrupt()
            self.assertEqual(running.end()[0], 0)

    def test_an_interruption_settles_what_was_placed_and_reports(self):
        with shop.Shop(*self.arguments("--orders", "1000000", "--kill", "none")) as running:
            running.said(r"[1-9]\d* shipments")
            running.interrupt()
            code, said = running.end()
            self.assertEqual(code, 0, said)
            self.assertIn("no more orders; waiting for those that were placed", said)
            self.assertIn("the books balance", said)

    def test_the_services_end_with_a_watcher_that_is_killed(self):
        with shop.Shop(*self.arguments("--orders", "1000000", "--kill", "none")) as running:
            running.said(r"[1-9]\d* shipments")
            services = running.services()
            self.assertEqual(len(services), 3)
            ends = [os.pidfd_open(service) for service in services]
            running.process.send_signal(signal.SIGKILL)
            for end in ends:
                self.assertTrue(shop.ended(end), "a service goes on alone")
                os.close(end)

    def test_a_service_that_cannot_go_on_ends_the_run_with_its_name(self):
        with shop.Shop(*self.arguments("--orders", "1000000", "--kill", "none")) as running:
            running.said(r"[1-9]\d* shipments")
            os.kill(running.services()[0], signal.SIGKILL)
            code, said = running.end()
            self.assertEqual(code, 1, said)
            self.assertRegex(said, r"order_service: (orders|billing|shipping) has ended by itself, with exit code 137")

    def test_a_broker_that_is_not_there_is_named(self):
        nobody = re.sub(r":\d+/", ":1/", self.servers.broker)
        for words in (["--real"], ["--service", "shipping"]):
            with self.subTest(words=words):
                ended = shop.run(*words, "--broker", nobody, "--database", self.servers.database, "--folder",
                                 self.folder)
                self.assert_refuses(ended, 1, r".*127\.0\.0\.1:1\b")

    def test_a_busy_port_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            for words in (["--real"], ["--service", "orders"]):
                with self.subTest(words=words):
                    ended = shop.run(*words, "--port", port, "--folder", self.folder, *self.servers.options())
                    self.assert_refuses(ended, 1, f"cannot take orders at 127.0.0.1:{port}: Address already in use; "
                                                  "choose another --port")

    def test_each_service_tells_when_its_collector_is_away(self):
        often = {**os.environ, "OTEL_BSP_SCHEDULE_DELAY": "50"}
        with shop.Shop(*self.arguments("--orders", "0", "--otlp", f"http://{shop.NOBODY}"), env=often) as running:
            for service in ("orders", "billing", "shipping"):
                running.said(rf"^ *[\d.]+ s  {service}: the collector takes no ")
            running.interrupt()
            self.assertEqual(running.end()[0], 0)

    def test_an_address_that_cannot_be_read_is_refused(self):
        self.assert_refuses(shop.run("--real", "--broker", "rabbit", "--database", self.servers.database, "--folder",
                                     self.folder), 1, "the URL of the broker cannot be used: its scheme must be amqp or amqps")

    def test_books_of_an_earlier_run_are_left_alone(self):
        self.assertEqual(shop.run(*self.arguments("--orders", "10", "--kill", "none")).returncode, 0)
        self.assert_refuses(shop.run(*self.arguments("--orders", "10")), 1,
                            "there are books of 10 orders from an earlier run; choose .* a new --database")


if __name__ == "__main__":
    shop.main()

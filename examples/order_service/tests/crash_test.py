"""Servers that crash in the middle of a run, and come back: nothing is lost."""

import os
import subprocess
import sys

import shop

SERVICES = sys.argv[2]


class Crash(shop.ShopTest):
    def setUp(self):
        super().setUp()
        started = subprocess.run([SERVICES, "start", "--owner", str(os.getpid())], stdout=subprocess.PIPE, text=True,
                                 check=True)
        self.servers = dict(line.split("=", 1) for line in started.stdout.splitlines())
        self.addCleanup(self.command, "stop")

    def command(self, verb, *servers):
        subprocess.run([SERVICES, verb, "--dir", self.servers["FERRY_SERVICES_DIR"], *servers], check=True)

    def running(self, orders):
        return shop.Shop("--real", "--kill", "none", "--orders", str(orders), "--broker",
                         self.servers["FERRY_RABBITMQ_URL"], "--database", self.servers["FERRY_POSTGRES_URL"],
                         "--folder", self.folder)

    def balance_although_it_crashes(self, server):
        with self.running(orders=2000) as running:
            running.said(r"[1-9]\d* shipments")
            self.command("crash", server)
            self.command("restart", server)
            code, said = running.end()
            self.assertEqual(code, 0, said)
            self.assertIn("the books balance", said)

    def test_the_books_balance_although_the_broker_crashes(self):
        self.balance_although_it_crashes("rabbitmq")

    def test_the_books_balance_although_the_database_crashes(self):
        self.balance_although_it_crashes("postgres")

    def test_an_interruption_while_the_database_is_away_settles_what_was_placed(self):
        with self.running(orders=1000000) as running:
            running.said(r"[1-9]\d* shipments")
            self.command("crash", "postgres")
            running.interrupt()
            running.said("no more orders; waiting for those that were placed")
            self.command("restart", "postgres")
            code, said = running.end()
            self.assertEqual(code, 0, said)
            self.assertIn("the books balance", said)


if __name__ == "__main__":
    shop.main()

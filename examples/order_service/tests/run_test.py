"""Whole runs in one process: the books balance, whatever happens on the way."""

import os
import re

import shop

TROUBLES = ("retries", "redeliveries", "dead letters", "inbox", "expired", "late replies", "scheduled and cancelled")


class Run(shop.ShopTest):
    def test_the_books_balance_and_every_trouble_has_happened(self):
        ended = shop.run("--orders", "3000")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("the books balance", ended.stdout)
        for trouble in TROUBLES:
            with self.subTest(trouble=trouble):
                self.assertRegex(ended.stdout, rf"(?m)^ +[1-9]\d* .*{trouble}")

    def test_they_balance_when_most_cards_are_bad(self):
        ended = shop.run("--orders", "300", "--failure-rate", "0.9", "--seed", "5")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_a_temporary_folder_goes_with_a_good_run(self):
        environment = {**os.environ, "TMPDIR": self.folder}
        self.assertEqual(shop.run("--orders", "20", env=environment).returncode, 0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_rate_is_kept(self):
        ended = shop.run("--orders", "100", "--rate", "50")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        placed = float(re.search(r"([\d.]+) s  all orders are placed", ended.stdout)[1])
        self.assertGreaterEqual(placed, 99 / 50)

    def test_a_terminal_gets_one_table_that_is_drawn_over(self):
        for size, figures in (((24, 80), 7), ((24, 70), 6), ((12, 200), 7)):
            with self.subTest(size=size):
                code, written = shop.run_in_terminal("--orders", "200", "--rate", "400", size=size)
                self.assertEqual(code, 0, written)
                self.assertGreater(len(re.findall(r"\[#*\.*\] \d+ of 200 orders settled", written)), 1)
                seen = shop.on_screen(written, size)
                self.assertEqual([line.strip() for line in seen if "orders settled" in line],
                                 [f"[{'#' * 40}] 200 of 200 orders settled"])
                for service in ("orders", "billing", "shipping", "carrier"):
                    self.assert_once(rf"  {service}( +\d+){{{figures}}} *$", seen)
                for event in (r"[\d.]+ s  orders are taken at ", r"[\d.]+ s  all orders are placed",
                              "the books balance"):
                    self.assert_once(rf" *{event}", seen)

    def test_a_terminal_without_room_for_it_gets_lines(self):
        for size in ((11, 200), (0, 0)):
            with self.subTest(size=size):
                code, written = shop.run_in_terminal("--orders", "20", size=size)
                self.assertEqual(code, 0, written)
                self.assertNotIn("\033", written)
                self.assertRegex(written, r"(?m)^ *[\d.]+ s  20 orders, \d+ invoices, ")

    def assert_once(self, pattern, lines):
        self.assertEqual(len([line for line in lines if re.match(pattern, line)]), 1, lines)

    def test_a_collector_that_is_away_is_told_of_between_the_figures(self):
        often = {**os.environ, "OTEL_BSP_SCHEDULE_DELAY": "50"}
        with shop.Shop("--orders", "0", "--otlp", f"http://{shop.NOBODY}", env=often) as running:
            self.assertEqual(shop.place(running.port())[0], 201)
            running.said("the collector takes no ")
            running.interrupt()
            code, said = running.end()
            self.assertEqual(code, 0, said)
            for line in said.splitlines():
                if "the collector" in line:
                    self.assertRegex(line, r"^ *[\d.]+ s  the collector takes no ")

    def test_it_is_told_when_the_collector_is_back(self):
        often = {**os.environ, "OTEL_BSP_SCHEDULE_DELAY": "50"}
        with shop.Collector(status=503) as collector:
            with shop.Shop("--orders", "0", "--otlp", collector.url, env=often) as running:
                running.said(r"^ *[\d.]+ s  the collector takes no spans; until it does they are dropped")
                collector.status = 200
                running.said(r"^ *[\d.]+ s  the collector takes spans again")
                running.interrupt()
                self.assertEqual(running.end()[0], 0)

    def test_an_interruption_settles_what_was_placed_and_reports(self):
        with shop.Shop("--orders", "1000000") as running:
            running.said(r"[1-9]\d* shipments")
            running.interrupt()
            code, said = running.end()
            self.assertEqual(code, 0, said)
            self.assertIn("no more orders; waiting for those that were placed", said)
            self.assertIn("the books balance", said)
            self.assertLess(int(re.search(r"orders placed +(\d+)", said)[1]), 1000000)


if __name__ == "__main__":
    shop.main()

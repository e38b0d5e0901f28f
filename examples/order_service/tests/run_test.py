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

"""The door of the shop: what is no order gets a 4xx and a reason, and nobody else notices."""

import contextlib
import pathlib
import socket
import sqlite3

import shop


class Door(shop.ShopTest):
    def setUp(self):
        super().setUp()
        self.shop = self.enterContext(shop.Shop("--orders", "0", "--folder", self.folder))
        self.port = self.shop.port()

    def close_and_count(self, orders):
        """However much nonsense came, what was placed is settled, and nothing else was."""
        self.shop.interrupt()
        code, said = self.shop.end()
        self.assertEqual(code, 0, said)
        self.assertRegex(said, rf"orders placed +{orders} ")
        self.assertIn("the books balance", said)

    def send_raw(self, text):
        with socket.create_connection(("127.0.0.1", self.port), timeout=shop.PATIENCE) as line:
            line.sendall(text)
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(4096), b"")).decode()

    def test_an_order_is_placed_and_can_be_followed(self):
        for mine in ("mine", "7", "Az-0_9.x"):
            status, answer = shop.place(self.port, order_id=mine)
            self.assertEqual((status, answer), (201, {"order_id": mine, "state": "placed"}))
            status, answer = shop.ask(self.port, "GET", f"/orders/{mine}")
            self.assertEqual(status, 200)
            self.assertIn(answer["state"], ("placed", "packed", "shipped"))
        self.close_and_count(orders=3)

    def test_an_order_that_cannot_be_taken_is_for_the_log_and_not_for_the_screen(self):
        with contextlib.closing(sqlite3.connect(f"{self.folder}/orders.db", timeout=shop.PATIENCE)) as tables:
            tables.execute("alter table orders rename to put_away")
            status, answer = shop.place(self.port)
            self.assertEqual((status, answer), (503, {"error": "we cannot take orders just now"}))
            tables.execute("alter table put_away rename to orders")
        self.close_and_count(orders=0)
        self.assertNotIn("could not be taken", "\n".join(self.shop.lines))
        self.assertRegex(pathlib.Path(self.folder, "log.txt").read_text(),
                         r"error an order could not be taken: .*no such table: orders")

    def test_an_order_without_an_id_gets_one(self):
        first, second = (shop.place(self.port) for _ in range(2))
        self.assertEqual((first[0], second[0]), (201, 201))
        self.assertNotEqual(first[1]["order_id"], second[1]["order_id"])
        self.close_and_count(orders=2)

    def test_an_order_that_comes_twice_is_placed_once(self):
        self.assertEqual(shop.place(self.port, order_id="twice")[0], 201)
        self.assertEqual(shop.place(self.port, order_id="twice")[0], 200)
        self.close_and_count(orders=1)

    def test_a_declined_card_ends_as_a_refusal(self):
        self.assertEqual(shop.place(self.port, paid_with="declined")[0], 201)
        self.shop.interrupt()
        code, said = self.shop.end()
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"refused +1 ")

    def test_what_cannot_be_read_gets_a_400_that_names_the_place(self):
        for body, reason in (("", "empty"), ("[1, 2]", "object"), ('{"tenant": "north"', "cut off"),
                             ({"tenant": 7, "paid_with": "good", "lines": []}, "tenant"),
                             ({**shop.AN_ORDER, "paid_with": "shells"}, "paid_with"),
                             ({**shop.AN_ORDER, "lines": [{"article": "rope"}]}, r"lines[0]"),
                             ({**shop.AN_ORDER, "lines": [{"article": "rope", "quantity": 1e99, "price_cents": 1}]},
                              "lines[0].quantity"),
                             ({**shop.AN_ORDER, "express_until": "soon"}, "express_until"),
                             (b'{"tenant": "\xff\xfe"}', "UTF-8")):
            with self.subTest(body=body):
                status, answer = shop.ask(self.port, "POST", "/orders", body)
                self.assertEqual(status, 400)
                self.assertIn(reason, answer["error"])
        self.close_and_count(orders=0)

    def test_what_the_shop_does_not_sell_gets_a_422(self):
        for changes in ({"tenant": "west"}, {"tenant": ""}, {"lines": []}, {"lines": shop.AN_ORDER["lines"] * 101},
                        {"lines": [{"article": "", "quantity": 1, "price_cents": 1}]},
                        {"lines": [{"article": "rope", "quantity": 0, "price_cents": 1}]},
                        {"lines": [{"article": "rope", "quantity": 1, "price_cents": -1}]},
                        {"lines": [{"article": "rope\0", "quantity": 1, "price_cents": 1}]},
                        {"lines": [{"article": "ro\npe", "quantity": 1, "price_cents": 1}]},
                        {"order_id": ""}, {"order_id": "x" * 65}, {"order_id": "a\0b"}, {"order_id": "a b"},
                        {"order_id": "a/b"}, {"order_id": "a%62"}, {"order_id": "\u00e9"}, {"order_id": ".."}):
            with self.subTest(changes=changes):
                status, answer = shop.place(self.port, **changes)
                self.assertEqual(status, 422)
                self.assertTrue(answer["error"])
        self.close_and_count(orders=0)

    def test_what_is_no_http_gets_a_400(self):
        for nonsense in (b"GIVE ME A ROPE\r\n\r\n", b"\x00\x01\x02\r\n\r\n", b"POST /orders HTTP/9.9\r\n\r\n",
                         b"POST /orders HTTP/1.1\r\nContent-Length: lots\r\n\r\n",
                         b"POST /orders HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            with self.subTest(nonsense=nonsense):
                self.assertRegex(self.send_raw(nonsense), r"^HTTP/1.1 400 ")
        self.assertEqual(shop.place(self.port)[0], 201)
        self.close_and_count(orders=1)

    def test_who_says_half_and_hangs_up_has_placed_nothing(self):
        self.assertEqual(self.send_raw(b'POST /orders HTTP/1.1\r\nContent-Length: 500\r\n\r\n{"tenant": "no'), "")
        self.assertEqual(self.send_raw(b"POST /ord"), "")
        self.close_and_count(orders=0)

    def test_too_much_gets_a_413_or_a_431(self):
        self.assertRegex(self.send_raw(b"POST /orders HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n" + b"x" * 10000),
                         r"^HTTP/1.1 413 ")
        self.assertRegex(self.send_raw(b"POST /orders HTTP/1.1\r\nX-Long: " + b"x" * 100000 + b"\r\n\r\n"),
                         r"^HTTP/1.1 431 ")
        self.close_and_count(orders=0)

    def test_other_doors_are_closed(self):
        self.assertEqual(shop.ask(self.port, "GET", "/orders")[0], 405)
        self.assertEqual(shop.ask(self.port, "DELETE", "/orders/1")[0], 405)
        self.assertEqual(shop.ask(self.port, "POST", "/refunds", {})[0], 404)
        self.assertEqual(shop.ask(self.port, "GET", "/orders/none")[0], 404)
        self.close_and_count(orders=0)

    def test_one_who_says_nothing_keeps_nobody_waiting(self):
        with socket.create_connection(("127.0.0.1", self.port)) as silent:
            silent.sendall(b"POST /orders HTTP/1.1\r\n")
            self.assertEqual(shop.place(self.port)[0], 201)
            self.close_and_count(orders=1)


if __name__ == "__main__":
    shop.main()

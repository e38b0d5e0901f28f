"""What keeps the shop from opening is told in one line, with an exit code that is not 0."""

import contextlib
import os
import pathlib
import socket
import sqlite3

import shop

# Root may write anywhere, unless this is taken away.
UNPRIVILEGED = ("setpriv", "--inh-caps", "-dac_override", "--bounding-set", "-dac_override") if os.geteuid() == 0 else ()


class Words(shop.ShopTest):
    def test_an_option_that_is_not_there_is_refused(self):
        self.assert_refuses(shop.run("--parcels", "3"), 2, "there is no option '--parcels'; --help")

    def test_a_value_that_makes_no_sense_is_refused(self):
        for words in (["--orders", "many"], ["--orders", "-1"], ["--orders"], ["--failure-rate", "1.5"],
                      ["--failure-rate", "nan"], ["--rate", "-3"], ["--port", "70000"], ["--seed", "x"],
                      ["--kill", "everybody"], ["--service", "sales"], ["--folder", ""]):
            with self.subTest(words=words):
                self.assert_refuses(shop.run(*words), 2, f"cannot use '{' '.join(words).strip()}'; --help")

    def test_services_without_servers_are_refused(self):
        nowhere = {name: value for name, value in os.environ.items() if not name.startswith("FERRY_")}
        for words in (["--real"], ["--service", "billing"]):
            with self.subTest(words=words):
                self.assert_refuses(shop.run(*words, env=nowhere), 2, "this needs --broker and --database")

    def test_help_tells_of_every_option(self):
        told = shop.run("--help")
        self.assertEqual(told.returncode, 0)
        for option in ("--orders", "--rate", "--failure-rate", "--seed", "--port", "--folder", "--real", "--kill",
                       "--broker", "--database", "--otlp", "--service"):
            self.assertIn(option, told.stdout)


class Places(shop.ShopTest):
    def test_a_busy_port_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.assert_refuses(shop.run("--orders", "10", "--port", str(port), "--folder", self.folder), 1,
                                f"cannot take orders at 127.0.0.1:{port}: Address already in use; choose another --port")

    def test_a_busy_port_is_named_before_anything_is_started(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.assert_refuses(shop.run("--real", "--port", str(port), "--broker", f"amqp://guest:guest@{shop.NOBODY}",
                                         "--database", f"postgresql://postgres@{shop.NOBODY}/shop"), 1,
                                f"cannot take orders at 127.0.0.1:{port}: Address already in use; choose another --port")

    def test_a_folder_that_is_none_is_named(self):
        path = pathlib.Path(self.folder, "file")
        path.touch()
        self.assert_refuses(shop.run("--orders", "10", "--folder", str(path / "below")), 1,
                            f"cannot make the folder {path}/below: Not a directory")

    def test_a_database_that_cannot_be_opened_is_named(self):
        pathlib.Path(self.folder, "billing.db").mkdir()
        self.assert_refuses(shop.run("--orders", "10", "--folder", self.folder), 1,
                            f"cannot open the database {self.folder}/billing.db: unable to open database file")

    def test_a_database_that_may_only_be_read_is_named(self):
        path = pathlib.Path(self.folder, "orders.db")
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("pragma journal_mode = wal")
        path.chmod(0o444)
        self.assert_refuses(shop.run("--orders", "10", "--folder", self.folder, through=UNPRIVILEGED), 1,
                            f"cannot use the database {path}: attempt to write a readonly database")

    def test_a_file_that_is_no_database_is_named_and_kept(self):
        path = pathlib.Path(self.folder, "shipping.db")
        path.write_text("a letter to the carrier, of more than a hundred bytes, " * 20)
        before = path.read_bytes()
        self.assert_refuses(shop.run("--orders", "10", "--folder", self.folder), 1,
                            f"cannot use the database {path}: file is not a database")
        self.assertEqual(path.read_bytes(), before)

    def test_books_of_an_earlier_run_are_left_alone(self):
        self.assertEqual(shop.run("--orders", "10", "--folder", self.folder).returncode, 0)
        self.assert_refuses(shop.run("--orders", "10", "--folder", self.folder), 1,
                            "there are books of 10 orders from an earlier run; choose a new --folder")


class Absentees(shop.ShopTest):
    def test_a_database_that_is_not_there_is_named(self):
        for words in (["--real"], ["--service", "billing"]):
            with self.subTest(words=words):
                self.assert_refuses(
                    shop.run(*words, "--broker", f"amqp://guest:guest@{shop.NOBODY}", "--database",
                             f"postgresql://postgres@{shop.NOBODY}/shop", "--folder", self.folder),
                    1, r'.*connection to server at "127\.0\.0\.1", port 1 failed: Connection refused')

    def test_an_address_that_cannot_be_read_is_refused(self):
        self.assert_refuses(shop.run("--real", "--broker", f"amqp://guest:guest@{shop.NOBODY}", "--database",
                                     "postgresql:///shop?port=no", "--folder", self.folder),
                            1, 'invalid integer value "no" for connection option "port"')


if __name__ == "__main__":
    shop.main()

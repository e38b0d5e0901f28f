"""The Debian 13 root folder: on hosts that cannot have one, and when making it goes wrong."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PROJECT, ScriptTest, script

USER = 1234


class RootWithoutSysAdmin(ScriptTest):
    @unittest.skipIf(os.geteuid(), "only root can give up a capability of root")
    def test_is_told_which_capability_is_missing(self):
        run = self.run_commands("require_namespaces /no/root", within=["setpriv", "--bounding-set=-sys_admin"])

        self.assertEqual(run.returncode, 1)
        self.assertIn("the capability SYS_ADMIN is missing", run.stderr)


class AnOrdinaryUser(ScriptTest):
    """Root becomes one for this, and any other user is one already."""

    def setUp(self):
        super().setUp()
        shutil.copytree(PROJECT / "scripts", self.folder / "scripts")
        self.script = script(self.folder / "scripts") + f"etc='{self.folder}'; host_is_debian_13() {{ false; }}\n"
        self.within = []
        self.program("id", f"case $1 in -un) echo somebody ;; -u) echo {USER} ;; esac")
        self.program("unshare", """case $* in
            --help) echo --map-auto ;;
            *' true') ;;
            *) echo "$*" ;;
        esac""")
        for name in ("newuidmap", "mmdebstrap"):
            self.program(name, ":")
        for file in ("subuid", "subgid"):
            self.allow(file, "somebody:100000:65536")
        if os.geteuid() == 0:
            self.within = [shutil.which("setpriv"), f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
            self.folder.chmod(0o755)

    def allow(self, file, *lines):
        (self.folder / file).write_text("".join(line + "\n" for line in lines))

    def hide_the_hosts_programs(self):
        self.environment["PATH"] = str(self.programs)
        for name in ("awk", "bash", "cat", "dirname", "grep"):
            (self.programs / name).symlink_to(shutil.which(name))

    def obstacles(self):
        return self.run_commands("require_namespaces /no/root").stderr

    def test_with_nothing_in_the_way_is_told_nothing(self):
        self.assertEqual(self.obstacles(), "")

    def test_may_be_allowed_ids_by_number(self):
        self.allow("subuid", "other:100000:65536", f"{USER}:165536:65536")
        self.allow("subgid", f"{USER}:165536:65536")
        self.assertEqual(self.obstacles(), "")

    def test_needs_ids_of_both_kinds(self):
        self.allow("subgid", "other:100000:65536")
        self.assertIn("usermod --add-subgids 165536-231071 somebody", self.obstacles())
        self.assertNotIn("--add-subuids", self.obstacles())

    def test_needs_enough_ids(self):
        self.allow("subuid", "somebody:100000:1000")
        self.assertIn("somebody has no 65536 ids in /etc/subuid: usermod --add-subuids 165536-231071 somebody",
                      self.obstacles())

    def test_is_told_everything_that_is_missing_at_once(self):
        for name in ("newuidmap", "mmdebstrap"):
            (self.programs / name).unlink()
        for file in ("subuid", "subgid"):
            (self.folder / file).unlink()
        self.program("unshare", "[[ $* == --help ]]")
        self.hide_the_hosts_programs()

        run = self.run_commands("require_namespaces /no/root")

        self.assertEqual(run.returncode, 1)
        for sentence in ("as an ordinary user (the commands are for root)", "apt-get install mmdebstrap",
                         "apt-get install uidmap", "--add-subuids 100000-165535 somebody",
                         "--add-subgids 100000-165535 somebody", "kernel.unprivileged_userns_clone=1",
                         "util-linux 2.38 or newer"):
            self.assertIn(sentence, run.stderr)

    def test_needs_a_newuidmap_that_may_do_what_it_is_for(self):
        self.program("unshare", """case $* in
            --help) echo --map-auto ;;
            *--map-auto*) echo "newuidmap: write to uid_map failed: Operation not permitted" >&2; exit 1 ;;
        esac""")
        self.program("newgidmap", ":")
        told = self.obstacles()
        self.assertIn("newuidmap may not hand out the ids of somebody (newuidmap: write to uid_map failed: Operation not "
                      "permitted)", told)
        self.assertIn(f"chmod u+s {self.programs}/newuidmap {self.programs}/newgidmap", told)

    def test_is_told_the_simplest_way_where_the_host_can_be_the_environment(self):
        self.allow("subgid")
        self.assertNotIn("simplest", self.obstacles())
        self.script += "host_is_debian_13() { true; }\n"
        told = self.obstacles()
        self.assertIn("usermod --add-subgids", told)
        self.assertTrue(told.endswith(f"root runs this once and everybody has its packages:\n"
                                      f"  {self.folder}/scripts/env true\n"), told)

    def test_needs_no_mmdebstrap_where_there_is_a_root_already(self):
        (self.programs / "mmdebstrap").unlink()
        self.hide_the_hosts_programs()
        self.assertIn("apt-get install mmdebstrap", self.obstacles())
        (self.folder / "root/etc").mkdir(parents=True)
        (self.folder / "root/etc/ferry-env").touch()
        run = self.run_commands(f"require_namespaces '{self.folder}/root'")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_goes_in_as_root_of_a_namespace_with_ids_of_its_own(self):
        run = self.run_commands("enter_root /the/root some command")
        self.assertTrue(run.stdout.startswith("--user --map-auto --map-root-user --mount "), run.stdout)
        self.assertTrue(run.stdout.endswith(" some command\n"), run.stdout)


class SettingUp(ScriptTest):
    """With a mmdebstrap that makes no more than a folder, and an unshare that does not."""

    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache/ferry"
        self.etc = self.folder / "etc"
        for name in ("newuidmap", "id"):
            self.program(name, "echo somebody")
        self.program("unshare", """
            [[ $* != --help ]] || { echo --map-auto && exit; }
            while [[ $1 == -* ]]; do shift; done
            exec "$@" """)
        for file in ("subuid", "subgid"):
            (self.folder / file).write_text("somebody:100000:65536\n")
        self.script += f"etc='{self.folder}'; debian_mirror() {{ echo http://mirror.test; }}; suite_exists() {{ :; }}\n"

    def mmdebstrap(self, script):
        self.program("mmdebstrap", f"""
            cat >/dev/null
            target=${{*: -2:1}}
            {script}
            mkdir -p "$target/etc"
            touch "$target/etc/ferry-env"
            echo "$target" >>"$TEST/made" """)

    def roots(self):
        return sorted(each.name for each in self.cache.glob("root-*"))


class AnInterruptedSetUp(SettingUp):
    def test_is_cleared_away_by_the_next(self):
        self.mmdebstrap('[[ -e $TEST/again ]] || { mkdir -p "$target/half" && touch "$TEST/again" && exit 1; }')
        first = self.run_commands('ensure_root "$(root_folder)"')
        self.assertNotEqual(first.returncode, 0)
        part = self.roots()
        self.assertTrue(part[0].endswith(".part") and len(part) == 1, part)
        (self.cache / "root-0123456789ab.part").mkdir()  # of another list of packages

        second = self.run_commands('ensure_root "$(root_folder)"')

        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(self.roots(), [part[0].removesuffix(".part")])
        self.assertFalse((self.cache / self.roots()[0] / "half").exists())


class TwoSetUpsAtOnce(SettingUp):
    def test_make_one_root(self):
        for name in ("begun", "go"):
            os.mkfifo(self.folder / name)
        self.mmdebstrap('echo >"$TEST/begun"; read -r <"$TEST/go"')
        first = self.begin_commands('ensure_root "$(root_folder)"')
        (self.folder / "begun").read_text()
        second = self.begin_commands('ensure_root "$(root_folder)"; echo ready')
        self.assertIn("another run is making the Debian 13 root; waiting for it", second.stderr.readline())
        (self.folder / "go").write_text("\n")

        self.assertEqual(second.communicate()[0], "ready\n")
        first.communicate()
        self.assertEqual((first.returncode, second.returncode), (0, 0))
        self.assertEqual(len(self.lines_of("made")), 1)


class Pruning(SettingUp):
    def test_leaves_the_root_of_this_list_of_packages(self):
        self.mmdebstrap("")
        self.run_commands('ensure_root "$(root_folder)"')
        current = self.roots()
        for name in ("root-0123456789ab", "root-ba9876543210.part"):
            (self.cache / name / "etc").mkdir(parents=True)

        run = self.run_commands("prune_roots")

        self.assertEqual(self.roots(), current)
        self.assertIn("removed 2 old root folders", run.stderr)


if __name__ == "__main__":
    unittest.main()

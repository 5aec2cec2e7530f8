"""The program as a process: where it is found, and what is left when it or Python is ended half way."""
import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

import privbayes as pb
from privbayes import _engine
from tables import SCHEMA, SECRET, columns, everything, folder


def program(path: str, text: str) -> str:
    with open(path, "w") as f:
        f.write(f"#!{sys.executable}\n{text}")
    os.chmod(path, 0o755)
    return os.path.abspath(path)


@contextlib.contextmanager
def alone():
    """A package without its program."""
    with mock.patch("sysconfig.get_path", lambda *a: "/none"), mock.patch.object(_engine, "__file__", "/none/x/y.py"):
        yield


class Finding(unittest.TestCase):
    def test_order(self):
        found = pb.binary()
        self.assertTrue(os.access(found, os.X_OK))
        with folder(), mock.patch.dict(os.environ, {"PATH": os.getcwd(), "PRIVBAYES_ENGINE": ""}):
            other = program("privbayes", "print('{\"version\": \"x\", \"protocol\": 1}')")
            with alone():
                self.assertEqual(pb.binary(), other)  # the last resort
            with mock.patch.dict(os.environ, {"PRIVBAYES_ENGINE": found}):
                self.assertEqual(pb.binary(), found)

    def test_missing_and_others(self):
        with folder():
            for text, said in (("print('{\"version\": \"9\", \"protocol\": 2}')", "speaks protocol 2"),
                               ("print('hello')", "is not the program"), ("raise SystemExit(3)", "is not the program")):
                with mock.patch.dict(os.environ, {"PRIVBAYES_ENGINE": program("p" + str(len(text)), text)}):
                    with self.assertRaisesRegex(pb.Broken, said):
                        pb.plan(data="votes", target="Class", epsilon=1)
            for path in ("/none/privbayes", os.getcwd()):
                with mock.patch.dict(os.environ, {"PRIVBAYES_ENGINE": path}):
                    with self.assertRaisesRegex(pb.Broken, "install the package again"):
                        pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1)
            with mock.patch.dict(os.environ, {"PATH": "", "PRIVBAYES_ENGINE": ""}), alone():
                with self.assertRaisesRegex(pb.Broken, "not in this package"):
                    pb.verify("r.json")

    def test_a_fault_of_the_program(self):
        with folder():
            text = """import sys
if sys.argv[1] == "version": print('{"version": "1", "protocol": 1}')
else:
    sys.stderr.write('{"error":{"kind":"internal","text":"the program has a fault"}}\\n')
    sys.exit(70)"""
            with mock.patch.dict(os.environ, {"PRIVBAYES_ENGINE": program("p", text)}):
                with self.assertRaises(pb.Broken) as caught:
                    pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1)
            self.assertEqual((caught.exception.kind, str(caught.exception)), ("internal", "the program has a fault"))


FEED = """
import sys, time
import privbayes as pb

def rows(pipe):
    pipe.write(b"answer,smokes,age,wage\\n" + b"yes,true,3,4\\n" * 1000)
    pipe.flush()
    print("fed", flush=True)
    time.sleep(60)

pb.run("release", stdin=rows, data="-", schema=sys.argv[1], out="r.json", budget="b.budget", target="answer", epsilon=1)
"""


class Ending(unittest.TestCase):
    def left(self):
        self.assertEqual(os.listdir("."), ["b.budget"])
        self.assertEqual(pb.Budget("b.budget").left, "ε = 1")


    def test_python_that_dies_while_it_writes(self):
        for end in (signal.SIGKILL, signal.SIGINT):
            with self.subTest(end.name), folder():
                pb.Budget.open("b.budget", SCHEMA, epsilon=1)
                feeding = subprocess.Popen([sys.executable, "-c", FEED, json.dumps(SCHEMA)], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                self.assertEqual(feeding.stdout.readline(), b"fed\n")
                engines = [p for p in map(int, filter(str.isdigit, os.listdir("/proc"))) if parent(p) == feeding.pid]
                self.assertEqual(len(engines), 1)
                feeding.send_signal(end)
                _, said = feeding.communicate(timeout=30)
                self.assertNotEqual(feeding.returncode, 0)
                if end == signal.SIGINT:
                    self.assertIn(b"KeyboardInterrupt", said)
                for _ in range(300):
                    if not os.path.exists(f"/proc/{engines[0]}") or state(engines[0]) == "Z":
                        break
                    time.sleep(0.1)
                else:
                    self.fail("the program still runs")
                self.left()

    def test_a_writer_that_fails_half_way(self):
        def rows(pipe):
            pipe.write(b"answer,smokes,age,wage\nyes,true,3,4\n")
            raise RuntimeError(SECRET)

        with folder():
            pb.Budget.open("b.budget", SCHEMA, epsilon=1)
            with self.assertRaises(pb.BadInput) as caught:
                pb.run("release", stdin=rows, data="-", schema=json.dumps(SCHEMA), out="r.json", budget="b.budget",
                       target="answer", epsilon=1)
            self.assertIn("RuntimeError", str(caught.exception))
            self.assertNotIn(SECRET, everything(caught.exception))
            self.left()

    def test_a_program_that_refuses_early_says_why(self):
        def rows(pipe):
            try:
                while True:
                    pipe.write(b"answer,smokes,age,wage\n" * 10_000)
            except BrokenPipeError:
                raise OSError("Broken pipe (os error 32)") from None  # as polars has it

        with self.assertRaisesRegex(pb.Usage, "no-model"):
            pb.run("release", stdin=rows, data="-", schema=json.dumps(SCHEMA), out="r.json", model="no-model",
                   epsilon=1, target="answer")

    def test_a_table_without_its_end(self):
        with folder():
            pb.Budget.open("b.budget", SCHEMA, epsilon=1)
            with self.assertRaisesRegex(pb.BadInput, "does not end with its mark"):
                pb.run("release", stdin=lambda pipe: pipe.write(b"answer,smokes,age,wage\nyes,true,3,4\n"), data="-",
                       schema=json.dumps(SCHEMA), out="r.json", budget="b.budget", target="answer", epsilon=1)
            self.left()

    def test_a_program_that_is_killed(self):
        with folder():
            pb.Budget.open("b.budget", SCHEMA, epsilon=1)

            def rows(pipe):
                pipe.write(b"answer,smokes,age,wage\n")
                pipe.flush()
                for p in map(int, filter(str.isdigit, os.listdir("/proc"))):
                    if parent(p) == os.getpid():
                        os.kill(p, signal.SIGKILL)
                time.sleep(0.2)
                pipe.write(b"yes,true,3,4\n" * 100_000)

            with self.assertRaisesRegex(pb.Broken, "ended by signal 9"):
                pb.run("release", stdin=rows, data="-", schema=json.dumps(SCHEMA), out="r.json", budget="b.budget",
                       target="answer", epsilon=1)
            self.left()
            made = pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1, budget="b.budget")
            self.assertFalse(made.loaded)
            self.assertEqual(len(pb.Budget("b.budget").state["charges"]), 1)


class Threads(unittest.TestCase):
    def test_one_draw_of_many(self):
        with folder():
            pb.Budget.open("b.budget", SCHEMA, epsilon=5)
            table, start = columns(), threading.Barrier(6)

            def release(_):
                start.wait()
                return pb.release(table, SCHEMA, keep="r.json", target="answer", epsilon=1, budget="b.budget")

            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                made = list(pool.map(release, range(6)))
            self.assertEqual(sorted(r.loaded for r in made), [False] + [True] * 5)
            self.assertEqual(len({r.id for r in made}), 1)
            self.assertEqual(pb.Budget("b.budget").left, "ε = 4")

    def test_progress(self):
        said = []
        pb.on_progress(lambda share, what: said.append((share, what)))
        self.addCleanup(pb.on_progress, None)
        pb.advise(data="votes", target="Class", epsilon=1, time="2s")
        self.assertTrue(said and all(0 <= share <= 1 and what == "compared" for share, what in said), said)


def parent(process: int) -> int:
    try:
        with open(f"/proc/{process}/stat") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def state(process: int) -> str:
    try:
        with open(f"/proc/{process}/stat") as f:
            return f.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


if __name__ == "__main__":
    unittest.main()

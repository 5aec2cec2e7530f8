"""What the README and the how-to page promise, as a person does it, and what the program says of itself."""
import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import privbayes as pb
from privbayes import _docs, _engine
from tables import SCHEMA, columns, folder, schema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Stories(unittest.TestCase):
    def setUp(self):
        here = folder()
        here.__enter__()
        self.addCleanup(here.__exit__, None, None, None)

    def test_first_release(self):
        budget = pb.Budget.open("votes.budget", data="votes", epsilon=2)
        first = pb.release("votes", keep="votes.release.json", target="Class", epsilon=1, budget=budget, split="0.7,1")
        again = pb.release("votes", keep="votes.release.json", target="Class", epsilon=1, budget=budget, split="0.7,1")
        self.assertEqual((first.loaded, again.loaded, budget.left), (False, True, "ε = 1"))
        self.assertEqual((first.guarantee["notion"], first.guarantee["epsilon"]), ("pure", 1))
        self.assertEqual(first.id, again.id)
        share = first.intervals(ask=["P(Class=democrat)"]).rows[0]
        self.assertTrue(0 <= share["lower"] < share["mean"] < share["upper"] <= 1)
        self.assertIn("<table", first._repr_html_())
        self.assertIn("left", budget._repr_html_())
        with self.assertRaises(pb.Refused):
            pb.release("votes", keep="other.json", target="Class", epsilon=1.5, budget=budget)
        self.assertEqual(sorted(os.listdir(".")), ["votes.budget", "votes.release.json"])
        self.assertIn("scores", str(first.report("votes")).lower())

    def test_own_table(self):
        filled = pb.Schema.skeleton(columns(), dataset="survey")
        self.assertEqual([c["name"] for c in filled["columns"]], list(columns()))
        with self.assertRaises(pb.BadInput):
            pb.release(columns(), filled, keep="r.json", target="answer", epsilon=1)
        self.assertEqual(pb.check(columns(), SCHEMA)["violations"], 0)
        shown = pb.Schema(SCHEMA)
        self.assertIn("<td>answer</td>", shown._repr_html_())
        r = pb.release(columns(), SCHEMA, keep="r.json", model="quantiles", target="wage", at=[0.25, 0.5], epsilon=1)
        self.assertEqual(r.schema.columns, shown.columns)
        self.assertTrue(r.tables())
        line = pb.release(columns(), SCHEMA, keep="line.json", model="linear-regression", target="wage", features="age",
                          mechanism="moments", epsilon=1, delta=1e-6)
        guessed = line.predict({"age": [20, 80]})
        self.assertEqual((len(guessed), list(guessed[0] if isinstance(guessed, list) else guessed)),
                         (2, ["wage", "standard deviation"]))
        self.assertEqual(len(line.predict({"age": []})), 0)
        draws = line.draws()
        rows = draws.frame()
        rows = rows if isinstance(rows, list) else rows.to_dict("records")
        self.assertEqual(list(rows[0]), ["chain", "draw", *draws.names])
        self.assertEqual(len({(row["chain"], row["draw"]) for row in rows}), len(draws["values"]))
        self.assertEqual((rows[-1]["chain"] + 1, rows[-1][draws.names[-1]]), (draws.chains, draws["values"][-1][-1]))
        with self.assertRaises(pb.BadInput):
            r.draws()
        self.assertIsInstance(pb.load("r.json").warnings, list)

    def test_advice_without_rows(self):
        advice = pb.advise(SCHEMA, n=5000, target="answer", epsilon=1, time="5s")
        self.assertGreater(len(advice.frame()), 3)
        plan = pb.plan(SCHEMA, n=5000, target="answer", epsilon=1)
        self.assertTrue(0.999 < plan.certified["epsilon"] <= 1)
        self.assertEqual(pb.plan(SCHEMA, n=5000, spec=plan.spec).certified, plan.certified)
        self.assertIn("expected standard deviation of a count", plan._repr_html_())
        gaussian = pb.plan(levels=3, n=100, epsilon=1, delta=1e-6, mechanism="discrete-gaussian")
        self.assertTrue(0 < gaussian.certified["delta"] <= 1e-6)

    def test_publication(self):
        wishes = {"publication": "survey", "items": [
            {"model": {"kind": "categorical", "target": "answer"}, "within": "5pp"},
            {"model": {"kind": "mean", "target": "wage"}, "within": "5%"}]}
        first = pb.publish(wishes, columns(), SCHEMA, keep="p.json", epsilon=1)
        again = pb.publish(wishes, columns(), SCHEMA, keep="p.json", epsilon=1)
        self.assertEqual((first.loaded, again.loaded, first.id), (False, True, again.id))
        self.assertEqual([i["name"] for i in first.shown["items"]], ["answer", "mean of wage"])
        self.assertEqual(len(first.tables()), 3)
        self.assertTrue(first.verify().ok)
        self.assertIsInstance(pb.load("p.json"), pb.Publication)
        self.assertEqual(list(first.schema.columns), list(pb.Schema(SCHEMA).columns))
        estimates = first.estimates()["answer"]
        estimates = estimates if isinstance(estimates, list) else estimates.to_dict("records")
        self.assertAlmostEqual(sum(row["estimate"] for row in estimates), 1, 9)
        page = first.report()
        self.assertNotIsInstance(page, pb.Private)
        self.assertEqual((page["release"]["kind"], page["numbers"]["guarantee"]), ("publication", first.guarantee))
        answers = first.item("answer", keep="answer.json")
        self.assertTrue(answers.intervals().rows)
        with self.assertRaises(pb.EngineError):
            first.item("wage", keep="wage.json")
        self.assertEqual(sorted(os.listdir(".")), ["answer.json", "p.json"])

    def test_areas_slots_and_files_for_others(self):
        areas = {"dataset": "areas", "columns": [
            {"name": "region", "kind": "categorical", "categories": list("abcdef")},
            {"name": "ill", "kind": "categorical", "categories": ["yes", "no"]}]}
        rows = {"region": list("abcdef") * 40, "ill": ["yes", "no", "no"] * 80}
        budget = pb.Budget.open("b.budget", areas, epsilon=9)
        wishes = {"publication": "areas", "level": {"epsilon": 8}, "items": [
            {"model": {"kind": "table", "target": "region", "features": ["ill"]}, "name": "rates"}],
            "reserve": [{"name": "later", "level": {"epsilon": 1}}]}
        p = pb.publish(wishes, rows, areas, keep="p.json", budget=budget)
        self.assertEqual(repr(p), "<privbayes.Publication p.json>")
        rates = p.item("rates", keep="r.json").intervals(areas="ill=yes")
        self.assertEqual([row["of"] for row in rates.rows], list("abcdef"))
        self.assertTrue(all(row["lower"] < row["mean"] < row["upper"] and row["direct_lower"] < row["direct_mean"]
                            for row in rates.rows))
        self.assertEqual(len(rates.frame()), 6)
        self.assertEqual(os.listdir(p.export("csv", "tables")).count("publication.json"), 1)
        self.assertGreater(len(os.listdir(pb.load("r.json").export("stan", "r.stan"))), 1)

        def later(keep):
            return pb.release(rows, areas, keep=keep, target="ill", model="categorical", budget=budget,
                              slot="p.json#later")

        self.assertEqual((later("l.json").loaded, later("l.json").loaded), (False, True))
        with self.assertRaisesRegex(pb.Refused, "not used before"):
            later("m.json")

    def test_selection(self):
        rules = {"level": {"epsilon": 4}, "model": {"kind": "naive-bayes", "target": "answer"},
                 "criteria": {"means": [{"of": "wage", "within": 1e6}]}, "test": {"epsilon": 0.5, "wrong": 0.1},
                 "stop": {"one_in": 10, "most": 3}, "report": 0.3}
        first = pb.accept(rules, columns(), SCHEMA, keep="s.json")
        again = pb.accept(rules, columns(), SCHEMA, keep="s.json")
        self.assertEqual((first.loaded, again.loaded, first.id), (False, True, again.id))
        self.assertTrue(3.99 < first.guarantee["epsilon"] <= 4)
        self.assertEqual(first.shown["selection"]["accepted"], first.made["accepted"])
        self.assertTrue(first.verify().ok)
        self.assertEqual(list(first.schema.columns), list(pb.Schema(SCHEMA).columns))
        self.assertEqual(len(first.synthesize()), first.shown["n"])
        self.assertEqual(len(first.synthesize(7)), 7)
        rules["criteria"] = {"matched": 1}
        none = pb.accept(rules, columns(), SCHEMA, keep="n.json")
        self.assertFalse(none.made["accepted"])
        with self.assertRaises(pb.Refused):
            none.synthesize()

    def test_figures(self):
        r = pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1)
        drawn = r.figure()
        self.assertEqual((r.figure("f.svg"), pathlib.Path("f.svg").read_text(encoding="utf-8")), (drawn, drawn))
        for part in ("<svg", "<title>", "<desc>", "prefers-color-scheme:dark"):
            self.assertIn(part, drawn._repr_html_())
        with self.assertRaises(pb.BadInput):
            r.figure("f.svg")

    def test_categories_and_totals(self):
        table = {**columns(), "answer": [a or "no" for a in columns()["answer"]]}
        open_ = schema()
        open_["columns"][0] = {"name": "answer", "kind": "open"}
        budget = pb.Budget.open("b.budget", open_, epsilon=9, delta=1e-5)
        for loaded in (False, True):
            found = pb.discover(table, open_, keep="c.json", column="answer", epsilon=8, delta=1e-6, into="s.json",
                                budget=budget)
            self.assertEqual([c["category"] for c in found.shown["categories"]], ["no", "yes"])
            self.assertEqual((found.loaded, len(budget.state["charges"])), (loaded, 1))
        self.assertTrue(found.verify().ok)
        self.assertIn("no", pb.Schema("s.json").fields["columns"][0]["categories"])
        with self.assertRaisesRegex(pb.Usage, "no one model that predicts"):
            found.predict(table)
        with self.assertRaises(pb.Refused):
            pb.discover(table, open_, keep="d.json", column="answer", epsilon=8, delta=1e-6, budget=budget)

        periods = {"dataset": "d", "columns": [{"name": "month", "kind": "categorical", "categories": ["1", "2", "3"]}]}
        budget = pb.Budget.open("t.budget", periods, rho=1)
        first = pb.totals({"month": ["1"] * 50}, periods, keep="t1.json", period="month", rho=1, budget=budget)
        second = pb.totals({"month": ["1"] * 50 + ["2"] * 9}, periods, keep="t2.json", after=first, budget=budget)
        self.assertEqual([r.verify().ok for r in (first, second)], [True, True])
        self.assertTrue(second.tables())

    def test_learned_network(self):
        r = pb.learn(columns(), SCHEMA, keep="r.json", epsilon=3, algorithm="tree", always=True)
        self.assertEqual(len(r.synthesize(50)), 50)
        self.assertTrue(r.shown.get("graph"))
        files = r.sets("sets", sets=3, rows=200)
        self.assertEqual([os.path.exists(f) for f in files], [True] * 3)
        one = pb.combine("sets", [(0.4, 0.001), (0.5, 0.001), (0.45, 0.001)], level=0.9)
        self.assertEqual((round(one.value, 9), one.level), (0.45, 0.9))
        self.assertTrue(one.lower < one.value < one.upper)
        with self.assertRaisesRegex(pb.BadInput, "^what was given: want a list of 3"):
            pb.combine("sets", [(0.4, 0.001)])
        for algorithm in ("pairs", "cliques"):
            pb.learn(columns(), SCHEMA, keep=f"{algorithm}.json", epsilon=3, algorithm=algorithm, always=True)

    def test_checked_by_others(self):
        r = pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1)
        self.assertTrue(r.verify().ok)
        self.assertNotIsInstance(r.report(), pb.Private)
        text = pathlib.Path("r.json").read_text()
        pathlib.Path("edited.json").write_text(text.replace('"num": 1', '"num": 2', 1))
        self.assertNotEqual(pathlib.Path("edited.json").read_text(), text)
        with self.assertRaises(pb.EngineError) as caught:
            pb.verify("edited.json")
        self.assertIn(type(caught.exception), (pb.Unverified, pb.BadInput))
        with self.assertRaises(pb.BadInput):
            pb.load("none.json")


class Documents(unittest.TestCase):
    def test_flags_are_those_of_the_program(self):
        listed = json.loads(subprocess.run([pb.binary(), "flags", "--json"], capture_output=True, check=True).stdout)
        self.assertEqual(list(_engine.commands().values()), listed)
        functions = {"plan": pb.plan, "advise": pb.advise, "release": pb.release, "learn": pb.learn,
                     "publish": pb.publish, "accept": pb.accept, "check": pb.check,
                     "discover": pb.discover, "totals": pb.totals,
                     "verify": pb.verify, "budget": pb.Budget.open, "intervals": pb.Release.intervals,
                     "sets": pb.Release.sets, "combine": pb.combine, "predict": pb.Release.predict,
                     "synthesize": pb.Release.synthesize, "report": pb.Release.report}
        own = {"json", "progress", "details", "data", "schema", "out", "rows", "plan", "public", "estimates", "rules"}
        for command, function in functions.items():
            taken = inspect.signature(function).parameters
            for flag in _engine.commands()[command]["flags"]:
                if flag["name"] not in own | ({"n"} if command == "totals" else set()):
                    self.assertIn(_docs.parameter(flag["name"]), taken, command)
                    self.assertIn(flag["words"], function.__doc__, command)
            self.assertNotIn("options", taken)

    def test_import_needs_nothing(self):
        said = subprocess.run([sys.executable, "-c", "import sys, privbayes\n"
                               "print([m for m in ('pandas', 'numpy', 'pyarrow', 'polars') if m in sys.modules])"],
                              capture_output=True, text=True, check=True, cwd="/").stdout
        self.assertEqual(said.strip(), "[]")

    def test_pages(self):
        """The blocks of a page run one after the other, in a folder with a survey."""
        for page in ("python/README.md", "docs/howto/python.md"):
            text = (ROOT / page).read_text(encoding="utf-8")
            blocks = re.findall(r"```python\n(.*?)```", text, re.S)
            self.assertTrue(blocks, page)
            with self.subTest(page), folder():
                table = {**columns(), "answer": [a or "no" for a in columns()["answer"]],
                         "age": ["old" if x > 50 else "young" for x in columns()["age"]]}
                fields = {"dataset": "survey", "columns": [
                    {"name": "answer", "kind": "categorical", "categories": ["yes", "no"]},
                    {"name": "age", "kind": "categorical", "categories": ["young", "old"]},
                    {"name": "wage", "kind": "real", "min": 0, "max": 100, "edges": [0, 50, 100]},
                    {"name": "smokes", "kind": "categorical", "categories": ["true", "false"]}]}
                pathlib.Path("survey.schema.json").write_text(json.dumps(fields))
                names = {"frame": table, "pb": pb}
                for block in blocks:
                    if importlib.util.find_spec("xarray") is None:
                        block = block.replace("draws.datatree()", "None")
                    exec(compile(block, page, "exec"), names)


if __name__ == "__main__":
    unittest.main()

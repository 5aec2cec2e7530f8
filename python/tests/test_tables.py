"""One table is one release, in whatever form Python has it."""
import datetime
import importlib.util
import os
import pathlib
import pickle
import random
import tempfile
import unittest
from unittest import mock

import privbayes as pb
from tables import SCHEMA, columns, fixed, folder, schema

try:
    import pandas
    import polars
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pandas = polars = pyarrow = None


class Plain(unittest.TestCase):
    def test_lists_and_files(self):
        table = columns()
        want = fixed(table)
        records = [dict(zip(table, row)) for row in zip(*table.values())]
        shuffled = dict(random.Random(1).sample([*table.items(), ("other", list(range(400)))], 5))
        floats = {**table, "age": [float(x) for x in table["age"]]}
        self.assertEqual(fixed(records), want)
        self.assertEqual(fixed(shuffled), want)
        self.assertEqual(fixed(floats), want)
        with folder():
            with open("t.csv", "w") as f:
                f.write("age,smokes,wage,answer\n")
                for r in records:
                    f.write(f"{r['age']},{str(r['smokes']).lower()},{r['wage']},{r['answer'] or 'NA'}\n")
            self.assertEqual(fixed(os.path.abspath("t.csv")), want)

    def test_two_linked_tables(self):
        town = {"dataset": "town", "unit": "household", "tables": [
            {"name": "homes", "key": "hid", "columns": [
                {"name": "side", "kind": "categorical", "categories": ["north", "south"]}]},
            {"name": "persons", "of": "homes", "key": "hid", "at_most": 2, "columns": [
                {"name": "age", "kind": "integer", "edges": [0, 5, 100]}],
             "per_unit": [{"name": "infant", "is": "any", "of": "age", "where": ["[0, 5)"]}]}]}
        with folder():
            with open("h.csv", "w") as f:
                f.write("hid,side\n" + "".join(f"{59 - i},{['north', 'south'][i % 2]}\n" for i in range(60)))
            with open("p.csv", "w") as f:
                f.write("hid,age\n" + "".join(f"{i},{i * 7 % 90}\n" for i in range(60)))
            made = pb.release(["h.csv", "p.csv"], town, keep="r.json", target="infant", epsilon=1, seed=1)
            self.assertEqual(made.guarantee["unit"], "household")
            self.assertEqual(pb.Schema(town).columns, None)
            with self.assertRaises(pb.Usage):
                pb.release(["h.csv"], town, keep="s.json", target="infant", epsilon=1, seed=1)
            side = pb.release(["h.csv", "p.csv"], town, keep="i.json", target="side", epsilon=1, seed=1)
            for paths in (["h.csv", "p.csv"], [pathlib.Path("h.csv"), pathlib.Path("p.csv")]):
                found = side.predict(paths)
                rows = found if isinstance(found, list) else found.to_dict("records")
                self.assertEqual([r["hid"] for r in rows], [str(59 - i) for i in range(60)])
                self.assertEqual(list(rows[0]), ["hid", "side", "P(north)", "P(south)"])
            town["tables"][1].update(places=True, per_unit=[{"name": "size", "is": "count"}])
            made = pb.learn(["h.csv", "p.csv"], town, keep="w.json", epsilon=4, always=True, seed=1)
            paths = made.synthesize(50, tables="made", seed=1)
            self.assertEqual(sorted(paths), ["homes", "persons"])
            with open(paths["homes"]) as f:
                self.assertEqual(len(f.readlines()), 51)

    def test_a_form_of_files_does_not_hold_for_lists(self):
        other = schema(format={"separator": ";", "decimal": ",", "encoding": "latin-1", "thousands": "."})
        table = columns()
        with folder():
            r = pb.release(table, other, keep="r.json", target="answer", epsilon=1, seed=1)
            self.assertEqual(r.shown["n"], 400)

    def test_dates_in_the_layout_of_the_schema(self):
        days = [datetime.date(2020, 2, 3) + datetime.timedelta(days=k % 300) for k in range(400)]
        for layout, written in (("2006-01-02", "%Y-%m-%d"), ("02.01.2006", "%d.%m.%Y"), ("2006-02-01", "%Y-%d-%m"),
                                ("Jan 02, 06 15:04", "%b %d, %y %H:%M"), ("2006-002", "%Y-%j"),
                                ("02_01_2006", "%d_%m_%Y"), ("Mon 02.01.2006", "%a %d.%m.%Y"),
                                ("2006-01-02T15:04:05Z07:00", "%Y-%m-%dT%H:%M:%SZ")):
            other = schema()
            edges = [datetime.date(2020, month, 1).strftime(written) for month in (1, 7, 12)]
            other["columns"].append({"name": "day", "kind": "integer", "date": layout, "date_edges": edges})
            want = fixed({**columns(), "day": [day.strftime(written) for day in days]}, under=other)
            midnights = [datetime.datetime(day.year, day.month, day.day) for day in days]
            forms = [{**columns(), "day": days}, {**columns(), "day": midnights}]
            if pandas is not None:
                forms += [make(form) for form in forms for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table)]
            for form in forms:
                with self.subTest(f"{layout}, {type(form)}"):
                    self.assertEqual(fixed(form, under=other), want)
            if "15" not in layout:
                with self.assertRaises(pb.BadInput):
                    fixed({**columns(), "day": [d.replace(hour=4) for d in midnights]}, under=other)

    def test_a_long_schema_is_a_file_for_the_time_being(self):
        long = schema()
        long["columns"][0]["description"] = "x" * 200_000
        with folder() as here:
            was, tempfile.tempdir = tempfile.tempdir, here
            try:
                pb.release(columns(), long, keep="r.json", target="answer", epsilon=1, seed=1)
                self.assertEqual(os.listdir(here), ["r.json"])
            finally:
                tempfile.tempdir = was

    def test_a_column_whose_name_has_a_comma(self):
        names = ["a,b", '5" nails', "c"]
        s = {"dataset": "d", "unit": "row",
             "columns": [{"name": name, "kind": "categorical", "categories": ["x", "y"]} for name in names]}
        self.assertEqual(pb.plan(s, n=50, table=names, epsilon=1)["spec"]["model"]["features"], names[1:])
        with folder():
            r = pb.release({name: ["x", "y"] for name in names}, s, keep="r.json", target="c", features=names[:2],
                           epsilon=1)
            self.assertEqual([c["name"] for c in r.shown["columns"]], ["c", *names[:2]])

    def test_rows_of_units_come_back(self):
        keyed = schema(unit="person", unit_key="id", rows_per_unit=2)
        table = {**columns(), "id": [k // 2 for k in range(400)]}
        with folder():
            r = pb.release(table, keyed, keep="r.json", target="answer", epsilon=1, adjacency="add-remove")
            self.assertEqual(len(r.predict(table)), 400)
            with self.assertRaisesRegex(pb.BadInput, "'id' is not in the table"):
                r.predict(columns())
            with self.assertRaises(pb.BadInput) as caught:
                pb.release({**table, "id": [None] * 400}, keyed, keep="s.json", target="answer", epsilon=1,
                           adjacency="add-remove")
            self.assertNotIn("on_missing", str(caught.exception))

    def test_rows_come_back(self):
        with folder():
            r = pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1)
            some = columns(rows=5, seed=8)
            with_target, without = r.predict(some), r.predict({k: v for k, v in some.items() if k != "answer"})
            self.assertEqual(len(with_target), 5)
            self.assertEqual(list(map(str, with_target)), list(map(str, without)))
            made = r.synthesize(20, seed=3)
            self.assertEqual(len(made), 20)
            ages = [row["age"] for row in made] if isinstance(made, list) else made["age"].tolist()
            self.assertTrue(all(isinstance(a, int) and 0 <= a <= 100 for a in ages), ages)


class Draws(unittest.TestCase):
    def test_a_tree_for_arviz(self):
        draws = pb.Draws(release="id", kind="posterior", names=["chain", "mg/dl"], chains=2,
                         values=[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])
        rows = draws.frame()
        rows = rows if isinstance(rows, list) else rows.to_dict("records")
        self.assertEqual(rows[2], {"chain": 1, "draw": 0, "chain_": 3, "mg/dl": 30})
        with mock.patch("importlib.util.find_spec", lambda name: None):
            with self.assertRaisesRegex(ImportError, "needs the package xarray"):
                draws.datatree()
        if importlib.util.find_spec("xarray") is None:
            return
        posterior = draws.datatree()["posterior"]
        self.assertEqual(posterior["mg|dl"].values.tolist(), [[10, 20], [30, 40]])
        self.assertEqual((posterior["chain_"].dims, posterior.attrs["release"]), (("chain", "draw"), "id"))


@unittest.skipIf(pandas is None, "the packages of frames are not there")
class Frames(unittest.TestCase):
    def test_every_form_gives_the_same_release(self):
        table = columns()
        want = fixed(table)
        frame = pandas.DataFrame(table)
        arrow = pyarrow.table(table)
        forms = {
            "sparse": frame.assign(age=pandas.arrays.SparseArray(frame["age"])),
            "other names": frame.assign(other=1).rename(columns={"other": 7}),
            "objects": frame.astype({"answer": object}),
            "categories": frame.astype({"answer": "category", "smokes": "category"}),
            "nullable": frame.astype({"age": "Int64", "smokes": "boolean", "answer": "string"}),
            "floats": frame.astype({"age": float}),
            "of Arrow": frame.convert_dtypes(dtype_backend="pyarrow"),
            "another index, more columns": frame.assign(other=object()).set_index(frame.index[::-1]),
            "polars": polars.DataFrame(table),
            "polars, lazy": polars.LazyFrame(table),
            "polars, categories": polars.DataFrame(table).with_columns(polars.col("answer").cast(polars.Categorical)),
            "Arrow": arrow,
            "batches": arrow.to_reader(max_chunksize=37),
            "dictionaries": arrow.set_column(2, "answer", arrow["answer"].dictionary_encode()),
        }
        for name, form in forms.items():
            with self.subTest(name):
                self.assertEqual(fixed(form), want)
        with folder():
            pyarrow.parquet.write_table(arrow, "t.parquet")
            self.assertEqual(fixed(os.path.abspath("t.parquet")), want)

    def test_a_column_without_a_value(self):
        table = {**columns(), "answer": [None] * 400}
        want = fixed({**columns(), "answer": ["NA"] * 400})
        for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table, dict):
            with self.subTest(str(make)):
                self.assertEqual(fixed(make(table)), want)
        empty = pandas.DataFrame(table).astype({"answer": "category"})
        self.assertEqual(fixed(empty), want)

    def test_rows_are_found_again(self):
        frame = pandas.DataFrame(columns())
        self.assertEqual(fixed(frame, split="0.5,1"), fixed(columns(), split="0.5,1"))
        with folder():
            r = pb.release(frame, SCHEMA, keep="r.json", target="answer", epsilon=1, split="0.5,1", seed=1)
            want = r.predict(columns(rows=9))
            for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
                form = make(columns(rows=9))
                self.assertTrue(r.predict(form).equals(want))
            some = pandas.DataFrame(columns(rows=9)).set_index(pandas.Index(list("ihgfedcba")))
            self.assertEqual(list(r.predict(some).index), list(some.index))
            scores = r.report(frame)
            self.assertEqual(scores, r.report(columns()))
            with self.assertRaises(TypeError):
                pickle.dumps(scores)
            self.assertIn("do not publish", repr(scores))

    def test_without_pyarrow_a_frame_goes_as_text(self):
        found = importlib.util.find_spec
        frame = pandas.DataFrame(columns()).astype({"age": "Int64"})
        with mock.patch("importlib.util.find_spec", lambda name: None if name == "pyarrow" else found(name)):
            self.assertEqual(fixed(frame), fixed(columns()))

    def test_options_and_schemas_of_numpy(self):
        other = schema()
        other["columns"][0]["categories"] = pandas.Series(["yes", "no"]).to_numpy()
        other["columns"][2]["edges"] = pandas.Index([0, 30, 60, 100])
        self.assertEqual(pb.Schema(other).fields, pb.Schema(SCHEMA).fields)
        self.assertEqual(pb.Schema(pb.Schema(SCHEMA).text).fields, pb.Schema(SCHEMA).fields)
        names = pandas.DataFrame(columns(rows=1)).columns[:2]
        for features in (names, names.to_numpy(), list(names)):
            made = pb.plan(other, n=len(names.to_numpy()) * 50, target="answer", features=features, epsilon=1)
            self.assertEqual(made["spec"]["model"]["features"], list(names))

    def test_synthetic_rows_have_the_kinds_of_the_table(self):
        for layout, edges in (("02.01.2006", ["15.01.2020", "15.07.2020", "15.12.2020"]),
                              ("2006-002", ["2020-015", "2020-197", "2020-350"]),
                              ("02012006", ["15012020", "15072020", "15122020"]),
                              ("02_01_2006", ["15_01_2020", "15_07_2020", "15_12_2020"]),
                              ("2/1/06", ["15/1/20", "15/7/20", "15/12/20"])):
            other = schema()
            days = [datetime.date(2020, month, 15) for month in (1, 7, 12)]
            other["columns"].append({"name": "day", "kind": "integer", "date": layout, "missing": ["NA"],
                                     "date_edges": edges, "on_missing": "category"})
            with self.subTest(layout), folder():
                r = pb.release({**columns(), "day": [*days, None] * 100}, other, keep="r.json", target="answer",
                               epsilon=50, seed=1)
                made = r.synthesize(200, seed=1)
                self.assertEqual(list(made["answer"].cat.categories), ["yes", "no"])
                self.assertEqual(made["day"].dtype.kind, "M")
                self.assertTrue(made["day"].isna().any() and made["answer"].isna().any())
                self.assertTrue(made["day"].min() >= pandas.Timestamp(days[0]))
                checked = pb.check(made, other)
                self.assertEqual((checked.violations, checked.rows), (0, 200))

    def test_answers_are_frames(self):
        with folder():
            r = pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1)
            self.assertIsInstance(r.intervals().frame(), pandas.DataFrame)
            self.assertIsInstance(next(iter(r.tables().values())), pandas.DataFrame)
            self.assertIsInstance(r.synthesize(3), pandas.DataFrame)
            self.assertEqual(str(r.synthesize(30)["age"].dtype), "int64")


if __name__ == "__main__":
    unittest.main()

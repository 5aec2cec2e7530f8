"""What is refused: by which exception, with which fields; no value of a table is said, and no budget is touched."""
import math
import os
import pickle
import tempfile
import unittest
import unittest.mock

import privbayes as pb
from tables import SCHEMA, SECRET, columns, everything, folder, schema

try:
    import pandas
    import polars
    import pyarrow
except ImportError:
    pandas = polars = pyarrow = None


def bad(column: str, value) -> dict:
    """The table with one other value."""
    table = columns()
    table[column] = [*table[column][:-1], value]
    return table


class Case(unittest.TestCase):
    """A folder with a budget, which stays as it is."""

    def setUp(self):
        self.enterContext(folder())
        self.budget = pb.Budget.open("b.budget", SCHEMA, epsilon=1)
        with open("b.budget", "rb") as f:
            self.before = f.read()

    def enterContext(self, context):  # Python 3.11 has it
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def untouched(self):
        self.assertEqual(sorted(os.listdir(".")), ["b.budget"])
        with open("b.budget", "rb") as f:
            self.assertEqual(f.read(), self.before)
        self.assertEqual(self.budget.left, "ε = 1")

    def refused(self, kind, data, under=None, *, column=None, say="", **options):
        with self.assertRaises(kind) as caught:
            pb.release(data, under or SCHEMA, keep="r.json",
                       **{"target": "answer", "epsilon": 1, "budget": self.budget, **options})
        error = caught.exception
        self.assertNotIn(SECRET, everything(error))
        self.assertIn(say, str(error))
        if column:
            self.assertEqual(error.column, column)
        self.untouched()
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.column, again.kind), (str(error), error.column, error.kind))
        return error


class Tables(Case):
    def test_schema_file_that_cannot_be_read(self):
        for path in ("none.schema.json", "."):
            with self.assertRaisesRegex(pb.BadInput, "want the path of a schema file"):
                pb.Schema(path)

    def test_table_in_place_of_a_release(self):
        with open("rows.csv", "w", encoding="utf-8") as f:
            f.write(f"answer\n{SECRET}\n")
        for path in ("rows.csv", "none.json", "."):
            with self.assertRaises(pb.BadInput) as caught:
                pb.Release(path).report(columns())
            self.assertNotIn(SECRET, everything(caught.exception))
        os.remove("rows.csv")

    def test_values(self):
        for column, value in (("answer", SECRET), ("age", 1000), ("wage", -5.5), ("smokes", None), ("age", math.nan)):
            with self.subTest(column):
                self.refused(pb.BadInput, bad(column, value), column=column, say="missing")
        with self.assertRaisesRegex(pb.BadInput, 'want one of "yes", "no"[.]') as caught:
            pb.release(bad("answer", "yess"), SCHEMA, keep="r.json", target="answer", epsilon=1)
        self.assertNotIn("mean", caught.exception.want)  # what was meant is nearly the value

    def test_kinds(self):
        for column, value in (("answer", b"yes"), ("answer", ["yes"]), ("answer", 3), ("age", SECRET),
                              ("wage", object()), ("smokes", SECRET), ("wage", math.inf)):
            with self.subTest(f"{column} {type(value).__name__}"):
                self.refused(pb.BadInput, bad(column, value), column=column)

    def test_columns(self):
        table = columns()
        del table["wage"]
        self.refused(pb.BadInput, table, column="wage", say="is not in the table")
        self.refused(pb.BadInput, {7: [0] * 400, **table}, say="column 1 is a int; want text")
        self.refused(pb.BadInput, {**columns(), "age": [1, 2]}, say="different lengths")

    def test_no_table(self):
        for data in (None, 3, "none.csv", object(), [1, 2]):
            with self.subTest(repr(data)):
                with self.assertRaises((pb.BadInput, pb.Usage)):
                    pb.release(data, SCHEMA, keep="r.json", target="answer", epsilon=1, budget=self.budget)
                self.untouched()
        with self.assertRaises(pb.Usage):
            pb.release(columns(), keep="r.json", target="answer", epsilon=1)

    def test_files_quote_no_value(self):
        with open(os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "t.csv"), "w") as f:
            f.write(f"answer,smokes,age,wage\nyes,true,3,4\n{SECRET},true,3,4\n")
        error = self.refused(pb.BadInput, f.name, column="answer", say="line 3")
        self.assertIn("answer", error.want + error.column)
        listed = pb.check(f.name, SCHEMA)
        self.assertEqual(listed["violations"], 1)
        self.assertIn(SECRET, str(listed))

    def test_check_lists_what_does_not_fit(self):
        listed = pb.check(bad("answer", SECRET), SCHEMA)
        self.assertEqual((listed["violations"], listed["rows"]), (1, 400))
        self.assertIn("do not publish", repr(listed))
        wrong = schema()
        wrong["columns"][2]["edges"] = [30, 0]
        for data, of in (columns(), wrong), ("none.csv", SCHEMA):
            with self.assertRaises(pb.BadInput):
                pb.check(data, of)


class Schemas(Case):
    def test_categories_that_the_schema_does_not_know(self):
        other = schema()
        other["columns"][0]["categories"] = ["yes", "never"]
        self.refused(pb.BadInput, columns(), other, column="answer")

    def test_a_fault_of_the_schema_is_not_one_of_the_table(self):
        for long in (0, 200_000):  # the longer one is a file
            upside_down = schema()
            next(c for c in upside_down["columns"] if c["name"] == "age").update(edges=[30, 0], description="x" * long)
            error = self.refused(pb.BadInput, columns(), upside_down, column="age", say="edges is 30 before 0")
            self.assertEqual(error.step, "schema")
            self.assertNotIn("check", str(error))

    def test_what_is_no_schema(self):
        for text in ("", "[]", "{}", '{"columns": 3}', "{"):
            path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "s.json")
            with open(path, "w") as f:
                f.write(text)
            with self.subTest(text):
                self.refused(pb.BadInput, columns(), path)
        wrong = schema()
        wrong["columns"][2]["edges"] = [30, 0]
        self.refused(pb.BadInput, columns(), wrong, column="age")
        for source in (3, [1], None, columns):
            with self.subTest(repr(source)), self.assertRaisesRegex(pb.BadInput, "^a schema cannot be a"):
                pb.Schema(source)
        for edges in ([0, math.inf], {0, 1}, [0, object()]):
            with self.subTest(repr(edges)), self.assertRaisesRegex(pb.BadInput, "want .* finite numbers"):
                pb.Schema({"columns": [{"name": "a", "kind": "real", "edges": edges}]})


class Options(Case):
    def test_usage(self):
        self.refused(pb.Usage, columns(), epsilonn=1, say="did you mean epsilon?")
        self.refused(pb.Usage, columns(), target="anwser")
        self.refused(pb.Usage, columns(), model="no-model")
        self.refused(pb.Usage, columns(), epsilon=-1, say="epsilon=-1; want")
        self.assertEqual(self.refused(pb.Usage, columns(), rho=1, say="epsilon").kind, "usage")
        self.assertTrue(issubclass(pb.Usage, TypeError) and issubclass(pb.BadInput, ValueError))

    def test_values_of_options(self):
        """Nothing else becomes a text on a command line, where others could read it, a column of a table least."""
        for options, say in (
                ({"epsilon": True}, "epsilon is True; want a number"), ({"budget": True}, "budget is True; want text"),
                ({"epsilon": [1, 2]}, "epsilon has 2 values; want one"), ({"seed": object()}, "seed is a object; want"),
                ({"features": {SECRET}}, "features is a set; want a list"), ({"at": [[1]]}, "at is a list; want"),
                ({"target": [SECRET, SECRET]}, "target has 2 values; want one"), ({"nothing": b"x"}, "is a bytes"),
                ({"model": "linear", "split-by": 1}, "no flag split_by"), ({"epsilon": "one"}, "epsilon one; want")):
            with self.subTest(say):
                self.refused(pb.Usage, columns(), say=say, **{"budget": self.budget, **options})

    def test_column_in_place_of_a_table(self):
        for data in ([SECRET, "b"], (SECRET,) * 9):
            self.refused(pb.BadInput, data, say="a table cannot be a list of text")

    def test_table_in_place_of_wishes(self):
        """What is in their place may be the rows, which are written to no file."""
        for made in (pb.publish, pb.accept):
            for table in ({"a": [SECRET]}, [{"a": SECRET}], [SECRET]):
                with unittest.mock.patch("tempfile.TemporaryDirectory", side_effect=AssertionError):
                    with self.subTest(repr(table)), self.assertRaisesRegex(pb.BadInput, "is in place of") as caught:
                        made(table, columns(), SCHEMA, keep="r.json", epsilon=1)
                self.assertNotIn(SECRET, everything(caught.exception))

    def test_keep_is_a_path(self):
        for keep in (3, None, True, "", [SECRET], columns()):
            for made in (pb.release, pb.learn, lambda *a, **o: pb.publish({}, *a, **o)):
                with self.subTest(repr(keep)), self.assertRaisesRegex(pb.Usage, "^keep is .*want the path") as caught:
                    made(columns(), SCHEMA, keep=keep, epsilon=1, budget=self.budget)
                self.assertNotIn(SECRET, everything(caught.exception))
                self.untouched()

    def test_estimates(self):
        for pair in (1, (1,), (1, 2, 3), (1, "x"), (math.nan, 1), (1, math.inf)):
            with self.subTest(repr(pair)), self.assertRaisesRegex(pb.BadInput, "^estimate 2 is no pair"):
                pb.combine(".", [(1, 1), pair])

    def test_budget(self):
        error = self.refused(pb.Refused, columns(), epsilon=1.5)
        self.assertEqual((error.left, error.limit["epsilon"]), ("ε = 1", 1))
        with self.assertRaises(pb.Usage):
            pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=1, budget="none.budget")
        self.untouched()
        with self.assertRaises(pb.EngineError):
            pb.Budget.open("b.budget", SCHEMA, epsilon=3)
        self.untouched()

    def test_a_release_of_another_plan(self):
        pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=0.5, budget=self.budget)
        with self.assertRaises(pb.Refused):
            pb.release(columns(), SCHEMA, keep="r.json", target="answer", epsilon=0.25, budget=self.budget)
        self.assertEqual(self.budget.left, "ε = 0.5")

    def test_a_folder_that_is_not_there_or_not_writable(self):
        closed = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(closed, 0o500)
        places = ["none/r.json", "b.budget/r.json", "."]
        for path in places if os.access(closed, os.W_OK) else [*places, os.path.join(closed, "r.json")]:
            with self.subTest(path), self.assertRaises(pb.EngineError):
                pb.release(columns(), SCHEMA, keep=path, target="answer", epsilon=1, budget=self.budget)
            self.untouched()


@unittest.skipIf(pandas is None, "the packages of frames are not there")
class Frames(Case):
    def test_objects_and_mixed_columns(self):
        for column, value in (("answer", 3), ("answer", b"yes"), ("age", SECRET), ("wage", object()),
                              ("answer", [SECRET]), ("answer", {SECRET: 1}), ("answer", SECRET), ("age", 1 << 70)):
            table = bad(column, value)
            frame = pandas.DataFrame({name: pandas.Series(values, dtype=object) for name, values in table.items()})
            with self.subTest(f"pandas, {column} {type(value).__name__}"):
                self.refused(pb.BadInput, frame, column=column)
        objects = polars.DataFrame(columns()).with_columns(polars.Series("wage", [object()] * 400, dtype=polars.Object))
        self.refused(pb.BadInput, objects, column="wage")
        self.refused(pb.BadInput, polars.DataFrame(bad("answer", SECRET)), column="answer")
        lists = pyarrow.table({**columns(), "answer": [[SECRET]] * 400})
        self.refused(pb.BadInput, lists, column="answer")

    def test_periods_intervals_and_texts(self):
        """What pyarrow has as numbers or pairs of them, and what is no text in UTF-8."""
        frame = pandas.DataFrame(columns())
        for column, values in (("age", pandas.period_range("1970", periods=400, freq="D")),
                               ("answer", pandas.cut(frame["age"], [0, 50, 100])), ("answer", ["\ud800"] * 400)):
            kind = object if isinstance(values, list) else None
            with self.subTest(str(type(values))):
                error = self.refused(pb.BadInput, frame.assign(**{column: pandas.Series(values, dtype=kind)}))
                self.assertEqual(error.column, column)

    def test_a_column_as_an_option(self):
        frame = pandas.DataFrame({**columns(), "answer": [SECRET] * 400})
        for name in ("target", "features", "epsilon", "nothing"):
            self.refused(pb.Usage, frame, **{name: frame["answer"]}, say=f"{name} is a Series; want")
            self.refused(pb.Usage, frame, **{name: frame}, say=f"{name} is a DataFrame; want")
            self.refused(pb.Usage, frame, **{name: {"answer": [SECRET]}}, say=f"{name} is a dict; want")

    def test_what_is_no_frame(self):
        frame = pandas.DataFrame(columns())
        for data in (frame["age"], frame.groupby("answer"), polars.Series([1]), pyarrow.array([1]), frame.to_numpy()):
            with self.subTest(type(data).__name__):
                self.refused(pb.BadInput, data, say="want a frame of pandas or polars")

    def test_names(self):
        frame = pandas.DataFrame(columns())
        self.refused(pb.BadInput, frame.rename(columns={"wage": 3}), say="column 1 is a int; want text")
        self.refused(pb.BadInput, frame.rename(columns={"wage": ("a", "b")}), say="is a tuple")
        self.refused(pb.BadInput, pandas.concat([frame, frame[["age"]]], axis=1), column="age", say="more than once")
        twice = pyarrow.table([pyarrow.array([1])] * 2, names=["age", "age"])
        self.refused(pb.BadInput, twice, column="answer")

    def test_a_frame_that_cannot_be_written(self):
        def batches():
            yield pyarrow.record_batch(columns())
            raise RuntimeError(SECRET)

        reader = pyarrow.RecordBatchReader.from_batches(pyarrow.record_batch(columns()).schema, batches())
        self.refused(pb.BadInput, reader)


if __name__ == "__main__":
    unittest.main()

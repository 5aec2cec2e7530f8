"""The notebook docs/tutorials/python.ipynb shows what its cells give; python3 test_notebook.py update writes it."""
import pathlib
import sys
import unittest

from tables import folder

try:
    import nbclient
    import nbformat
except ImportError:
    nbclient = nbformat = None

PATH = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/tutorials/python.ipynb"


def executed():
    """The notebook, run in an empty folder."""
    notebook = nbformat.read(PATH, as_version=4)
    with folder() as here:
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": here}},
                                record_timing=False).execute()
    return notebook


def shown(notebook):
    """What the cells show."""
    return [[(o.get("name"), o.get("text"), o.get("data", {}).get("text/plain")) for o in cell.outputs]
            for cell in notebook.cells if cell.cell_type == "code"]


@unittest.skipIf(nbclient is None, "nbclient is not there")
class Notebook(unittest.TestCase):
    def test_it_shows_what_its_cells_give(self):
        given = shown(executed())
        self.assertTrue(any(given))
        self.assertEqual(shown(nbformat.read(PATH, as_version=4)), given)


if __name__ == "__main__":
    if sys.argv[1:] == ["update"]:
        made = executed()
        made.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
        nbformat.write(made, PATH)
    else:
        unittest.main()

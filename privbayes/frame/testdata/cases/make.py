"""Writes binary/: one small table in files of other kinds, for kinds.txt.

Needs pyarrow, pandas, openpyxl, odfpy and pyreadstat: python make.py
"""

import io
import os
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet
import pyreadstat

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "binary")
table = pa.table({"x": [1, 2]})
frame = table.to_pandas()


def path(name):
    return os.path.join(here, name)


pyarrow.parquet.write_table(table, path("t.parquet"))
pyarrow.feather.write_feather(table, path("t.feather"))
pyarrow.orc.write_table(table, path("t.orc"))
with pa.OSFile(path("t.arrows"), "wb") as out, pa.ipc.new_stream(out, table.schema) as stream:
    stream.write_table(table)
frame.to_excel(path("t.xlsx"), index=False)
frame.to_excel(path("t.ods"), index=False)
frame.to_stata(path("t.dta"), write_index=False, version=114)
frame.to_stata(path("t118.dta"), write_index=False, version=118)
frame.to_pickle(path("t.pkl"))
pyreadstat.write_sav(frame, path("t.sav"))
pyreadstat.write_sav(frame, path("t.zsav"), compress=True)
pyreadstat.write_por(frame, path("t.por"))
pyreadstat.write_xport(frame, path("t.xpt"))
frame.to_csv(path("t.csv.xz"), index=False)
frame.to_csv(path("t.csv.bz2"), index=False)
frame.to_csv(path("t.tar"), index=False)
with zipfile.ZipFile(path("t.zip"), "w") as z:
    z.writestr("t.csv", "x\n1\n2\n")

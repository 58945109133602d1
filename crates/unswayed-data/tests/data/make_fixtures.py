"""Writes the fixtures beside this file with NumPy, pandas and PyArrow: python make_fixtures.py

All of them hold the same five rows, so that one test can compare them all.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

here = Path(__file__).parent
x = np.array([[0.5, -0.25, 0.0], [0.125, 0.5, -0.75], [0.0, 0.0, 1.0], [-0.5, 0.5, 0.5], [0.25, 0.25, 0.25]])
y = np.array([1, -1, -1, 1, 1])
weight = np.array([1.0, 2.0, 0.0, 0.5, 1.5])

np.savez(here / "numpy_f64.npz", x=x, y=y)
np.savez_compressed(here / "numpy_f32_compressed.npz", x=x.astype("f4"), y=y.astype("i1"), weight=weight)
np.savez(here / "numpy_z.npz", z=x * y[:, None])
np.save(here / "numpy_x.npy", x.astype("f4"))
np.save(here / "numpy_x_fortran.npy", np.asfortranarray(x))
np.save(here / "numpy_x_big_endian.npy", x.astype(">f4"))
for dtype in ["i1", "i2", "i4", "i8", "f4", "f8", ">i4"]:
    np.save(here / f"numpy_y_{dtype.replace('>', 'big_')}.npy", y.astype(dtype))
for dtype in ["u1", "u2", "u4", "u8", "bool"]:
    np.save(here / f"numpy_y_{dtype}.npy", (y > 0).astype(dtype))
np.save(here / "numpy_y_text.npy", np.where(y > 0, "spam", "ham"))
np.save(here / "numpy_x_f16.npy", x.astype("f2"))
np.save(here / "numpy_x_complex.npy", x.astype("c8"))
np.save(here / "numpy_x_object.npy", x.astype(object))

frame = pd.DataFrame(x, columns=["a", "b", "c"])
frame["label"] = np.where(y > 0, "spam", "ham")
frame.to_csv(here / "pandas.csv", index=False)
frame.to_csv(here / "pandas_index.csv")
frame.to_parquet(here / "pandas_snappy.parquet", index=False)
for codec in ["gzip", "lz4", "none", "zstd"]:
    frame.to_parquet(here / f"pandas_{codec}.parquet", index=False, compression=None if codec == "none" else codec)
frame.astype({"a": "f4"}).assign(label=y > 0, weight=weight).to_parquet(here / "pandas_bool.parquet", index=False)
pq.write_table(
    pa.table({"label": pa.array(y, pa.int8()), "a": x[:, 0], "b": x[:, 1].astype("f4"), "c": x[:, 2]}),
    here / "pyarrow_groups.parquet",
    row_group_size=2,
    data_page_version="2.0",
)
pq.write_table(
    pa.table({"u": pa.array([0, 4294967295], pa.uint32()), "v": pa.array([-1, 1], pa.int16()), "label": [0.0, 1.0]}),
    here / "pyarrow_integers.parquet",
)
pq.write_table(pa.table({"a": [0.5, None], "label": [0, 1]}), here / "pyarrow_null.parquet")
pq.write_table(pa.table({"a": [0.5, np.nan], "label": [0, 1]}), here / "pyarrow_nan.parquet")
pq.write_table(pa.table({"a": [[0.5], [0.1]], "label": [0, 1]}), here / "pyarrow_list.parquet")
pq.write_table(pa.table({"a": ["x", "y"], "label": [0, 1]}), here / "pyarrow_text.parquet")
pq.write_table(pa.table({"a": pd.to_datetime(["2020", "2021"]), "label": [0, 1]}), here / "pyarrow_time.parquet")
pq.write_table(pa.table({"a": pa.array([], pa.float64()), "label": pa.array([], pa.int8())}), here / "pyarrow_empty.parquet")

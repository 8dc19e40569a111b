"""Engines that score tables of files and of other libraries, by one `Frame` interface.

They differ in who calls the functions of `metra.scoring.table_totals` for each batch.

local: this machine, file by file, with totals kept for resumed work
frames: tables of pyarrow, pandas, polars, DuckDB and Ray Data; files and tables of Dask
spark: a DataFrame of Spark, partition by partition
spark_session: sessions of Spark, functions on its workers, and its errors
spark_terms: corpus weights on Spark, by its own shuffle
"""

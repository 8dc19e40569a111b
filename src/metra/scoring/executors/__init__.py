"""Engines that score tables: Parquet files by `score_files`, others by `score_dataframe`.

They differ in who calls the functions of `metra.scoring.table_totals` for each batch.

local: this machine, file by file, with totals kept for resumed work
frames: tables of other libraries; those of pyarrow, pandas, polars and DuckDB
dask: a task for each file, or for each partition of a DataFrame
ray: datasets of Ray Data, or a task for each file
spark: a DataFrame of Spark, partition by partition
spark_session: sessions of Spark, functions on its workers, and its errors
spark_terms: corpus weights on Spark, by its own shuffle
"""

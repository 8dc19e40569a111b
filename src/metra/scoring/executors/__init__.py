"""Engines that score tables in Parquet files, all with the same function `score_files`.

They differ in who calls the functions of `metra.scoring.table_totals` for each batch.

local: this machine, file by file, with totals kept for work that is resumed
dask: a task for each file
spark: a DataFrame of Spark, partition by partition
spark_session: sessions of Spark, their errors in one sentence, and their progress
"""

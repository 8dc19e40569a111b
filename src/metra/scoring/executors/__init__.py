"""Engines that score tables in Parquet files, all with the same function `score_files`.

They differ in who calls the functions of `metra.scoring.table_totals` for each batch.

local: this machine, file by file, with totals kept for work that is resumed
term_files: terms that shards exchange through files, by all or by parts of them
dask: a task for each file
spark: a DataFrame of Spark, partition by partition
spark_session: sessions of Spark, their errors in one sentence, and their progress
"""

"""Where tables are scored: on this machine, by Spark or by Dask, with the same digits."""

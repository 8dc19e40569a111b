-- The first hashes of passwords did not name their cost: 64 hexadecimal digits of salt and 128 of hash.
UPDATE admin SET scrypt = '65536$8$1$' || scrypt WHERE length(scrypt) = 161;

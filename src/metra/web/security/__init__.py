"""Who may come in and what may pass: sessions, origins, hosts, limits, headers, logs."""

// Package databases tests the journal over drivers of database/sql, which are dependencies of this module
// only: over SQLite, and with the tag databases over PostgreSQL, pgbouncer and MariaDB. The table of cases is
// in tests/contract/journal.
package databases

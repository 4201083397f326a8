// Package databases tests the journal with drivers of database/sql. Only this module depends on these drivers.
// The tests use SQLite; with the tag databases they also use PostgreSQL, pgbouncer and MariaDB. The table of
// cases is in tests/contract/journal.
package databases

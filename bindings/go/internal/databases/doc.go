// Package databases has the tests of the journal over the drivers of database/sql, which are dependencies of this module alone: over SQLite,
// and with the tag databases over PostgreSQL, pgbouncer and MariaDB. The table of cases is in tests/contract/journal.
package databases

// Package databases has the tests of the journal over the drivers of database/sql, which are dependencies of this module alone: the
// table of cases of tests/contract/journal over a file and over SQLite, and with the tag databases over PostgreSQL, pgbouncer and MariaDB.
package databases

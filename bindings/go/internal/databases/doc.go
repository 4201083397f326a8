// Package databases tests a shop that acknowledges in its own transaction, with the drivers of PostgreSQL and
// MariaDB. Only this module depends on drivers. The tests need the tag databases, and the servers of
// with-databases.
package databases

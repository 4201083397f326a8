package merchantpay

import (
	"database/sql"
	"time"
)

// JournalConfig has the settings of a journal for [OpenJournal]. Set File, or DB and Dialect. The other
// settings are optional.
type JournalConfig struct {
	// The merchant's own database, in place of File. Each statement takes a connection from the pool and
	// returns it. The connections must be in autocommit, and no connection in the pool may have an open
	// transaction. Closing the journal does not close the DB. Since 0.2.0.
	DB *sql.DB
	// The SQL dialect of the DB. Since 0.2.0.
	Dialect Dialect
	// generated: begin fields

	// Where the journal is: the absolute path of a file that only the journal uses, postgresql://… or mysql://…. Since
	// 0.4.0.
	Place string
	// The URL to which the service sends webhooks; each attempt adds its own token. Since 0.2.0.
	CallbackURL string
	// Creates the file or the tables if they are missing. Off by default: a wrong path would look like a new shop. Since
	// 0.3.0.
	Create bool
	// How long a repeated pay waits for the running call of the same payment; the value Never for no wait. Since 0.3.0.
	PayWait time.Duration
	// The deadline of a payment, which includes storing it: at least 15 s, at most 10 min. Since 0.2.0.
	Timeout time.Duration
	// Settings of the database that can lose a commit and that the merchant accepts, separated by commas. Since 0.3.0.
	DurabilityVouched string
	// A file whose first line is the database's password. It is read again for each connection. Since 0.4.0.
	PasswordFile string
	// The most connections of this process to a database. Since 0.4.0.
	Connections int

	// generated: end
}

// settings returns the settings that the library takes unchanged.
func (c *JournalConfig) settings() settings {
	var to settings
	// generated: begin settings
	to.add("place", "Place", c.Place)
	to.add("callback_url", "CallbackURL", c.CallbackURL)
	to.add("create", "Create", c.Create)
	to.add("pay_wait_ms", "PayWait", c.PayWait)
	to.add("timeout_ms", "Timeout", c.Timeout)
	to.add("durability_vouched", "DurabilityVouched", c.DurabilityVouched)
	to.add("password_file", "PasswordFile", c.PasswordFile)
	to.add("connections", "Connections", int64(c.Connections))
	// generated: end
	return to
}

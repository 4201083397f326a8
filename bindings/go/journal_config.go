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

	// The absolute path of the SQLite file, which only the journal uses. Since 0.2.0.
	File string
	// The URL that receives the service's webhooks; each attempt adds its own token. Since 0.2.0.
	CallbackURL string
	// The name of the account whose payments the journal stores; the base URL unless set. Since 0.2.0.
	Account string
	// The deadline of a payment, which includes storing it: 30 s unless set, at least 15 s. Since 0.2.0.
	Timeout time.Duration
	// The largest number of calls that settle makes in a second: 10 unless set. Since 0.2.0.
	CallsPerSecond int
	// The largest number of calls that settle makes at the same time: 4 unless set, at most 64. Since 0.3.0.
	CallsAtOnce int
	// Creates the file or the tables if they are missing; off by default. Since 0.3.0.
	Create bool
	// The time that pay waits for a running call of the same payment: 5 s by default, the value Never for no wait. Since
	// 0.3.0.
	PayWait time.Duration
	// Database settings, separated by commas, that the merchant accepts although they can lose a row: opening does not
	// refuse them. Since 0.3.0.
	DurabilityVouched string

	// generated: end
}

// settings returns the settings that the library takes unchanged.
func (c *JournalConfig) settings() settings {
	var to settings
	// generated: begin settings
	to.add("file", "File", c.File)
	to.add("callback_url", "CallbackURL", c.CallbackURL)
	to.add("account", "Account", c.Account)
	to.add("timeout_ms", "Timeout", c.Timeout)
	to.add("calls_per_second", "CallsPerSecond", int64(c.CallsPerSecond))
	to.add("calls_at_once", "CallsAtOnce", int64(c.CallsAtOnce))
	to.add("create", "Create", c.Create)
	to.add("pay_wait_ms", "PayWait", c.PayWait)
	to.add("durability_vouched", "DurabilityVouched", c.DurabilityVouched)
	// generated: end
	return to
}

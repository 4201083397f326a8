package merchantpay

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// JournalConfig has the settings of a journal for [OpenJournal]. Only Place is needed. The URL of a database can
// contain a password, so no text of this type shows the place.
type JournalConfig struct {
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

// String leaves out the place.
func (c JournalConfig) String() string { return "merchantpay config of a journal" }

// Format writes the text of String for every verb.
func (c JournalConfig) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(c.String())) }

// LogValue leaves out the values that String leaves out.
func (c JournalConfig) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON writes the text of String: this JSON is for logs, not for storing settings.
func (c JournalConfig) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

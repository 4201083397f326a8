package merchantpay

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Error numbers of MySQL. The first one is ER_DUP_ENTRY. The others are ER_SERVER_SHUTDOWN, ER_NET_*,
// ER_ERROR_DURING_COMMIT, ER_QUERY_INTERRUPTED and ER_CONNECTION_KILLED; after these it is unknown whether the
// statement took effect.
const mysqlDuplicate = 1062

var mysqlUnclear = []uint64{1053, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 1317, 1927}

// Codes of SQLite: the extended codes SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY, and the
// primary code SQLITE_IOERR. After SQLITE_IOERR it is unknown whether the statement took effect.
const (
	sqliteUnique     = 2067
	sqlitePrimaryKey = 1555
	sqliteIOError    = 10
)

// classify decides the result of a statement from a driver's error. The module depends on no driver, so
// classify uses only methods and fields that the errors of several drivers share: SQLState for PostgreSQL (pgx,
// lib/pq), a field Number for MySQL (go-sql-driver), Code or a field ExtendedCode for SQLite (modernc, mattn).
// An error that does not come from the server is unclear.
func classify(err error) capi.DatabaseResult {
	var postgresql interface{ SQLState() string }
	if errors.As(err, &postgresql) {
		return ofSQLState(postgresql.SQLState())
	}
	var sqlite interface{ Code() int }
	if errors.As(err, &sqlite) {
		return ofSQLite(int64(sqlite.Code()))
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if number, ok := numberField(err, "Number"); ok {
			return ofMySQL(uint64(number))
		}
		if code, ok := numberField(err, "ExtendedCode"); ok {
			return ofSQLite(code)
		}
	}
	return capi.DatabaseUnclear
}

func ofSQLState(state string) capi.DatabaseResult {
	switch {
	case state == "23505":
		return capi.DatabaseDuplicate
	case len(state) != 5, strings.HasPrefix(state, "08"), strings.HasPrefix(state, "57P"), state == "40003":
		return capi.DatabaseUnclear
	default:
		return capi.DatabaseFailed
	}
}

func ofMySQL(number uint64) capi.DatabaseResult {
	switch {
	case number == mysqlDuplicate:
		return capi.DatabaseDuplicate
	case slices.Contains(mysqlUnclear, number):
		return capi.DatabaseUnclear
	default:
		return capi.DatabaseFailed
	}
}

func ofSQLite(code int64) capi.DatabaseResult {
	switch {
	case code == sqliteUnique || code == sqlitePrimaryKey:
		return capi.DatabaseDuplicate
	case code&0xff == sqliteIOError:
		return capi.DatabaseUnclear
	default:
		return capi.DatabaseFailed
	}
}

// numberField returns a number from a field of an error's struct.
func numberField(err error, name string) (int64, bool) {
	value := reflect.ValueOf(err)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return 0, false
	}
	switch field := value.FieldByName(name); {
	case field.CanInt():
		return field.Int(), true
	case field.CanUint():
		return int64(field.Uint()), true
	default:
		return 0, false
	}
}

// passwords matches places where a driver may repeat the password of its data source: in a URL, in key-value
// words, and in go-sql-driver's format.
var passwords = regexp.MustCompile(`(?i)(://[^\s:/@]*:)[^\s@]*@|(\bpassword\s*=\s*)(?:'[^']*'|\S+)|(\b[^\s:@/]+:)[^\s@]*@(?:tcp|unix)\(`)

// mostErrorText is the largest number of bytes of a driver's text that an error contains.
const mostErrorText = 300

// errorText is a driver's text for an error's message: one line, without a password.
func errorText(err error) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "?")), " ")
	text = passwords.ReplaceAllString(text, "$1$2$3…")
	for len(text) > mostErrorText {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

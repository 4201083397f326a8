package merchantpay

import (
	"errors"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// classify decides the result of a statement from a driver's error. The module depends on no driver, so
// classify uses only methods and fields that the errors of several drivers share: the method SQLState for
// PostgreSQL (pgx, lib/pq), the field Number for MySQL (go-sql-driver), and the method Code or the field
// ExtendedCode for SQLite (modernc, mattn). If the error does not come from the server, the result is unclear.
func classify(err error) capi.DatabaseResult {
	var postgresql interface{ SQLState() string }
	if errors.As(err, &postgresql) {
		return capi.DatabaseFailure(int32(DialectPostgreSQL), postgresql.SQLState())
	}
	var sqlite interface{ Code() int }
	if errors.As(err, &sqlite) {
		return capi.DatabaseFailure(int32(DialectSQLite), strconv.Itoa(sqlite.Code()))
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if number, ok := numberField(err, "Number"); ok {
			return capi.DatabaseFailure(int32(DialectMySQL), strconv.FormatInt(number, 10))
		}
		if code, ok := numberField(err, "ExtendedCode"); ok {
			return capi.DatabaseFailure(int32(DialectSQLite), strconv.FormatInt(code, 10))
		}
	}
	return capi.DatabaseUnclear
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

// passwords matches places where a driver may repeat the password of its data source: in a URL, in a pair such
// as password=secret, and in go-sql-driver's format.
var passwords = regexp.MustCompile(`(?i)(://[^\s:/@]*:)[^\s@]*@|(\bpassword\s*=\s*)(?:'[^']*'|\S+)|(\b[^\s:@/]+:)[^\s@]*@(?:tcp|unix)\(`)

// mostErrorText is the largest number of bytes of a driver's text that an error contains.
const mostErrorText = 300

// errorText returns the text of a driver's error for the message of an Error: one line, without a password.
func errorText(err error) string {
	// The text of a url.Error repeats the data source. The end of the password in it cannot be found, so the
	// whole text is replaced.
	var unparsed *url.Error
	if errors.As(err, &unparsed) {
		return "the data source is not a valid URL: escape the special characters of its user and password"
	}
	text := strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "?")), " ")
	text = passwords.ReplaceAllString(text, "$1$2$3…")
	for len(text) > mostErrorText {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

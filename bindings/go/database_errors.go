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
// classify uses only methods and fields that the errors of several drivers share: SQLState for PostgreSQL (pgx,
// lib/pq), a field Number for MySQL (go-sql-driver), Code or a field ExtendedCode for SQLite (modernc, mattn).
// An error that does not come from the server is unclear.
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

// passwords matches places where a driver may repeat the password of its data source: in a URL, in key-value
// words, and in go-sql-driver's format.
var passwords = regexp.MustCompile(`(?i)(://[^\s:/@]*:)[^\s@]*@|(\bpassword\s*=\s*)(?:'[^']*'|\S+)|(\b[^\s:@/]+:)[^\s@]*@(?:tcp|unix)\(`)

// mostErrorText is the largest number of bytes of a driver's text that an error contains.
const mostErrorText = 300

// errorText is a driver's text for an error's message: one line, without a password.
func errorText(err error) string {
	// The text of a url.Error repeats the data source, whose password can end at any character.
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

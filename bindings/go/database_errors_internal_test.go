package merchantpay

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// These types have the methods and fields of the drivers' own errors.
type stateError string

func (e stateError) Error() string    { return string(e) }
func (e stateError) SQLState() string { return string(e) }

type codeNumber int

func (e codeNumber) Error() string { return "sqlite" }
func (e codeNumber) Code() int     { return int(e) }

type numbered struct{ Number uint16 }

func (e *numbered) Error() string { return "mysql" }

type extended struct{ ExtendedCode int }

func (e extended) Error() string { return "sqlite3" }

type pointerless func()

func (pointerless) Error() string { return "a function" }

func TestWhatADriversErrorLeavesKnown(t *testing.T) {
	for _, row := range []struct {
		err    error
		wanted capi.DatabaseResult
	}{
		{stateError("23505"), capi.DatabaseDuplicate},
		{fmt.Errorf("wrapped: %w", stateError("23505")), capi.DatabaseDuplicate},
		{stateError("42P01"), capi.DatabaseFailed},
		{stateError("57014"), capi.DatabaseFailed},
		{stateError("40001"), capi.DatabaseFailed},
		{stateError("40003"), capi.DatabaseUnclear},
		{stateError("57P01"), capi.DatabaseUnclear},
		{stateError("08006"), capi.DatabaseUnclear},
		{stateError("58000"), capi.DatabaseUnclear},
		{stateError(""), capi.DatabaseUnclear},
		{codeNumber(2067), capi.DatabaseDuplicate},
		{codeNumber(1555), capi.DatabaseDuplicate},
		{codeNumber(5), capi.DatabaseFailed},
		{codeNumber(10 | 4<<8), capi.DatabaseUnclear},
		{&numbered{1062}, capi.DatabaseDuplicate},
		{fmt.Errorf("wrapped: %w", &numbered{1062}), capi.DatabaseDuplicate},
		{&numbered{1213}, capi.DatabaseFailed},
		{&numbered{1927}, capi.DatabaseUnclear},
		{&numbered{2013}, capi.DatabaseUnclear},
		{extended{2067}, capi.DatabaseDuplicate},
		{extended{10}, capi.DatabaseUnclear},
		{extended{5}, capi.DatabaseFailed},
		{(*numbered)(nil), capi.DatabaseUnclear},
		{pointerless(nil), capi.DatabaseUnclear},
		{driver.ErrBadConn, capi.DatabaseUnclear},
		{io.ErrUnexpectedEOF, capi.DatabaseUnclear},
		{context.DeadlineExceeded, capi.DatabaseUnclear},
		{errors.Join(io.EOF, stateError("57P01")), capi.DatabaseUnclear},
		{errors.New("23505"), capi.DatabaseUnclear},
	} {
		if result := classify(row.err); result != row.wanted {
			t.Errorf("%#v: %d in place of %d", row.err, result, row.wanted)
		}
	}
}

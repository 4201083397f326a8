package capi

// #include "journal.h"
import "C"

import (
	"database/sql"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// DatabaseResult is the result of a statement.
type DatabaseResult int32

// The results of a statement.
const (
	DatabaseOK        DatabaseResult = C.MPAY_DATABASE_OK
	DatabaseDuplicate DatabaseResult = C.MPAY_DATABASE_DUPLICATE
	DatabaseUnclear   DatabaseResult = C.MPAY_DATABASE_UNCLEAR
	DatabaseFailed    DatabaseResult = C.MPAY_DATABASE_FAILED
)

// DatabaseFailure is the result of a statement that failed with an error code of the database.
func DatabaseFailure(dialect int32, code string) DatabaseResult {
	of, err := newText("code", code)
	if err != nil {
		return DatabaseUnclear
	}
	return DatabaseResult(C.mpay_database_failure(C.int32_t(dialect), of.pointer()))
}

// DatabaseAnswer is the result of a statement, with its rows.
type DatabaseAnswer struct {
	Result   DatabaseResult
	Rows     [][]sql.NullString
	Affected uint64
	Message  string // The text of an error.
}

// RunStatement runs one statement with text parameters. The argument call is the value with which the running
// call began, or nil. The function must neither panic nor end its goroutine, because the goroutine is in a C call.
type RunStatement func(call any, statement string, parameters []sql.NullString) DatabaseAnswer

//export merchantpayGoStatement
func merchantpayGoStatement(handle, call C.uintptr_t, statement *C.char, parameters **C.char, count C.size_t, out *C.mpay_rows) C.int32_t {
	run := cgo.Handle(handle).Value().(RunStatement)
	var of any
	if call != 0 {
		of = cgo.Handle(call).Value()
	}
	answer := run(of, C.GoString(statement), nullableTexts(parameters, int(count)))
	if answer.Message != "" {
		message := make(text, len(answer.Message)+1)
		copy(message, strings.ReplaceAll(answer.Message, "\x00", " "))
		C.mpay_rows_set_message(out, message.pointer())
	}
	for _, row := range answer.Rows {
		addRow(out, row)
	}
	C.mpay_rows_set_affected(out, C.uint64_t(answer.Affected))
	return C.int32_t(answer.Result)
}

func nullableTexts(from **C.char, count int) []sql.NullString {
	texts := make([]sql.NullString, count)
	for i, text := range unsafe.Slice(from, count) {
		if text != nil {
			texts[i] = sql.NullString{String: C.GoString(text), Valid: true}
		}
	}
	return texts
}

// addRow adds a row. No text of the journal contains a NUL; a row with a NUL makes the statement's result
// unclear.
func addRow(out *C.mpay_rows, row []sql.NullString) {
	size := 1
	for _, value := range row {
		size += len(value.String) + 1
	}
	base, at := make([]byte, 0, size), make([]C.int64_t, len(row)+1)
	for i, value := range row {
		at[i] = -1
		if value.Valid {
			at[i] = C.int64_t(len(base))
			base = append(append(base, value.String...), 0)
		}
		if hasNUL(value.String) {
			C.mpay_rows_add(out, nil, 0)
			return
		}
	}
	base = append(base, 0)
	C.bridge_rows_add(out, (*C.char)(unsafe.Pointer(&base[0])), &at[0], C.size_t(len(row)))
}

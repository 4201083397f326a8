package merchantpay

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Dialect is the SQL dialect of a database.
type Dialect int32

// Transaction runs statements in the merchant's own transaction, as *sql.Tx does.
type Transaction interface {
	// ExecContext is the method ExecContext of *sql.Tx.
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	// QueryContext is the method QueryContext of *sql.Tx.
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

type nullText = sql.NullString

// database runs a journal's statements in the merchant's own database.
type database struct {
	db *sql.DB
	// timeout limits the time of each statement. It is the only limit if the call's context cannot end.
	timeout time.Duration
}

// statements is the state that the statements of one call share. The statements run one after another.
type statements struct {
	ctx context.Context
	// written is true after the call has written something. From then on the call's results are stored even if
	// the call's context ends.
	written bool
	// interrupted is true if the end of the context has interrupted a statement.
	interrupted bool
	// cause is the error of the last statement, or nil.
	cause error
}

// run implements capi.RunStatement. Each statement has its own connection from the pool.
func (d *database) run(call any, statement string, parameters []nullText) capi.DatabaseAnswer {
	of, ok := call.(*statements)
	if !ok { // The journal is being opened, so there is no call.
		of = &statements{ctx: context.Background()}
	}
	isRead := reads(statement)
	if !isRead {
		of.written = true
	}
	ctx := of.ctx
	if of.written {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	answer := guarded(of, func() (capi.DatabaseAnswer, error) { return d.runOnOwn(ctx, statement, parameters) })
	switch isLost := isRead && answer.Result == capi.DatabaseUnclear; {
	case isLost && ctx.Err() == nil:
		// For example, an idle connection was lost. It is safe to read again.
		answer = guarded(of, func() (capi.DatabaseAnswer, error) { return d.runOnOwn(ctx, statement, parameters) })
	case isLost:
		// The statement only reads, so it had no effect. The context has ended, so a retry would fail too.
		answer.Result = capi.DatabaseFailed
	}
	return answer
}

func (d *database) runOnOwn(ctx context.Context, statement string, parameters []nullText) (capi.DatabaseAnswer, error) {
	connection, err := d.db.Conn(ctx)
	if err != nil {
		// Nothing was sent.
		return capi.DatabaseAnswer{Result: capi.DatabaseFailed}, err
	}
	// If the driver panics or ends its goroutine, the connection is abandoned and not closed, because
	// database/sql can then hold the connection's locks for ever.
	answer, err := runOn(ctx, connection, statement, parameters)
	if answer.Result == capi.DatabaseUnclear {
		// The connection is in an unknown state, so it is removed from the pool.
		_ = connection.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = connection.Close()
	return answer, err
}

// reads reports whether a statement changes nothing.
func reads(statement string) bool { return strings.HasPrefix(statement, "SELECT ") }

// runOn runs a statement on a connection or in a transaction.
func runOn(ctx context.Context, on Transaction, statement string, parameters []nullText) (capi.DatabaseAnswer, error) {
	arguments := make([]any, len(parameters))
	for i, parameter := range parameters {
		if parameter.Valid {
			arguments[i] = parameter.String
		}
	}
	answer := capi.DatabaseAnswer{}
	var err error
	if reads(statement) || strings.Contains(statement, " RETURNING ") {
		answer.Rows, err = read(ctx, on, statement, arguments)
	} else {
		answer.Affected, err = write(ctx, on, statement, arguments)
	}
	if err != nil {
		return capi.DatabaseAnswer{Result: classify(err)}, err
	}
	return answer, nil
}

func read(ctx context.Context, on Transaction, statement string, arguments []any) (all [][]nullText, err error) {
	rows, err := on.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, places := make([]nullText, len(columns)), make([]any, len(columns))
		for i := range row {
			places[i] = &row[i]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

func write(ctx context.Context, on Transaction, statement string, arguments []any) (uint64, error) {
	result, err := on.ExecContext(ctx, statement, arguments...)
	if err != nil {
		return 0, err
	}
	affected, err := result.RowsAffected()
	return uint64(max(affected, 0)), err
}

// guarded runs a statement on a separate goroutine. A driver can panic or end its goroutine, which would unwind
// the C frames of the call's goroutine. The result of a statement that did not return is unclear.
func guarded(of *statements, run func() (capi.DatabaseAnswer, error)) capi.DatabaseAnswer {
	answer, err := capi.DatabaseAnswer{Result: capi.DatabaseUnclear}, errNotReturned
	capi.RunIsolated(func() {
		defer func() {
			if panicked := recover(); panicked != nil {
				err = fmt.Errorf("the database driver panicked: %v", panicked)
			}
		}()
		answer, err = run()
	})
	if err != nil {
		of.cause = err
		of.interrupted = of.ctx.Err() != nil && !of.written
		answer.Message = errorText(err)
	}
	return answer
}

var errNotReturned = errors.New("the database driver did not return")

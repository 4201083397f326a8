// Package pgx acknowledges and ships in one transaction, for shops that use pgx without database/sql. The journal and the table shipments are
// in one database. The program shop does the same with database/sql.
package pgx

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/merchantpay/merchantpay-go"
)

// Act acknowledges and ships in one transaction, so each order is shipped exactly once. [act]
func Act(ctx context.Context, db *pgxpool.Pool, entry *merchantpay.Entry) error {
	statement, parameters := entry.AcknowledgeSQL(merchantpay.StyleDollar)
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		changed, err := tx.Exec(ctx, statement, parameters...) // must be first: only one worker continues
		if err != nil || changed.RowsAffected() == 0 {
			return err // another worker was first, or News will return something newer
		}
		if entry.Succeeded {
			_, err = tx.Exec(ctx, `INSERT INTO shipments (order_id) VALUES ($1)`, entry.Reference)
		}
		return err
	})
}

// [/act]

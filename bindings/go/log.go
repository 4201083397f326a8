package merchantpay

import (
	"context"
	"log/slog"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// attemptLog returns a function that writes one log line for each HTTP attempt: a success as information, a
// failure as a warning. It returns nil if there is no logger.
func attemptLog(logger *slog.Logger) func(waist.Attempt) {
	if logger == nil {
		return nil
	}
	return func(attempt waist.Attempt) {
		level, code, outcome := slog.LevelInfo, "ok", "ok"
		if attempt.Code != "" {
			level, code, outcome = slog.LevelWarn, attempt.Code, attempt.Outcome
		}
		logger.LogAttrs(context.Background(), level, "merchantpay attempt",
			slog.String("operation", attempt.Operation),
			slog.String("order_id", attempt.OrderID),
			slog.Int64("attempt", attempt.Number),
			slog.Int64("http_status", attempt.HTTPStatus),
			slog.Duration("elapsed", time.Duration(attempt.ElapsedMs)*time.Millisecond),
			slog.String("code", code),
			slog.String("outcome", outcome),
		)
	}
}

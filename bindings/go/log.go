package merchantpay

import (
	"context"
	"log/slog"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// attemptLog returns a function that writes one log line for each HTTP attempt: a success as information, a
// failure as a warning. It returns nil if there is no logger.
func attemptLog(logger *slog.Logger) capi.Log {
	if logger == nil {
		return nil
	}
	return func(attempt capi.Attempt) {
		level, code, outcome := slog.LevelInfo, "ok", "ok"
		if attempt.Code != "" {
			level, code, outcome = slog.LevelWarn, attempt.Code, attempt.Outcome
		}
		logger.LogAttrs(context.Background(), level, "merchantpay attempt",
			slog.String("operation", attempt.Operation),
			slog.String("order_id", attempt.OrderID),
			slog.Int("attempt", int(attempt.Number)),
			slog.Int("http_status", int(attempt.HTTPStatus)),
			slog.Duration("elapsed", attempt.Elapsed),
			slog.String("code", code),
			slog.String("outcome", outcome),
		)
	}
}

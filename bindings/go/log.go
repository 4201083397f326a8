package merchantpay

import (
	"context"
	"log/slog"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// attemptLog writes one line an attempt: a success as information, a failure as a warning. Nil for no logger.
func attemptLog(logger *slog.Logger) capi.Log {
	if logger == nil {
		return nil
	}
	return func(attempt capi.Attempt) {
		level := slog.LevelInfo
		attributes := []slog.Attr{
			slog.String("operation", attempt.Operation),
			slog.String("order_id", attempt.OrderID),
			slog.Int("attempt", int(attempt.Number)),
			slog.Int("http_status", int(attempt.HTTPStatus)),
			slog.Duration("elapsed", attempt.Elapsed),
			slog.String("code", "ok"),
			slog.String("outcome", "ok"),
		}
		if attempt.Code != 0 {
			level = slog.LevelWarn
			attributes[5] = slog.String("code", string(nameOf(codeNumbers, attempt.Code)))
			attributes[6] = slog.String("outcome", string(nameOf(outcomeNumbers, attempt.Outcome)))
		}
		logger.LogAttrs(context.Background(), level, "merchantpay attempt", attributes...)
	}
}

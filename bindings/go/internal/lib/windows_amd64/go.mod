module github.com/merchantpay/merchantpay-go/internal/lib/windows_amd64

go 1.24

module github.com/merchantpay/merchantpay-go/internal/lib/windows_386

go 1.24

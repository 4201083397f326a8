module github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64

go 1.24

module github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64

go 1.24

module github.com/merchantpay/merchantpay-go/internal/lib/linux_arm

go 1.24

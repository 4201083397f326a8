module github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64_musl

go 1.24

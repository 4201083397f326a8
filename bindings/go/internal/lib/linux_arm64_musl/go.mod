module github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64_musl

go 1.24

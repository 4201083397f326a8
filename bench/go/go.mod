module github.com/merchantpay/merchantpay-go/bench

go 1.24

require github.com/merchantpay/merchantpay-go v0.0.0

require github.com/shopspring/decimal v1.6.0

require (
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64 v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64_musl v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64 v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64_musl v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/windows_386 v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/windows_amd64 v0.0.0 // indirect
)

replace (
	github.com/merchantpay/merchantpay-go => ../../bindings/go
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64 => ../../bindings/go/internal/lib/linux_amd64
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64_musl => ../../bindings/go/internal/lib/linux_amd64_musl
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm => ../../bindings/go/internal/lib/linux_arm
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64 => ../../bindings/go/internal/lib/linux_arm64
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64_musl => ../../bindings/go/internal/lib/linux_arm64_musl
	github.com/merchantpay/merchantpay-go/internal/lib/windows_386 => ../../bindings/go/internal/lib/windows_386
	github.com/merchantpay/merchantpay-go/internal/lib/windows_amd64 => ../../bindings/go/internal/lib/windows_amd64
)

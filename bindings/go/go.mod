module github.com/merchantpay/merchantpay-go

go 1.24

require (
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64 v0.0.0
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64_musl v0.0.0
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm v0.0.0
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64 v0.0.0
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64_musl v0.0.0
	github.com/merchantpay/merchantpay-go/internal/lib/windows_386 v0.0.0
	github.com/merchantpay/merchantpay-go/internal/lib/windows_amd64 v0.0.0
	github.com/shopspring/decimal v1.6.0
)

// In this repository these modules contain no library: bindings/go/tools/package adds it.
replace (
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64 => ./internal/lib/linux_amd64
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64_musl => ./internal/lib/linux_amd64_musl
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm => ./internal/lib/linux_arm
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64 => ./internal/lib/linux_arm64
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64_musl => ./internal/lib/linux_arm64_musl
	github.com/merchantpay/merchantpay-go/internal/lib/windows_386 => ./internal/lib/windows_386
	github.com/merchantpay/merchantpay-go/internal/lib/windows_amd64 => ./internal/lib/windows_amd64
)

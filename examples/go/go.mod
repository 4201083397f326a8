module github.com/merchantpay/merchantpay-go/examples

go 1.24

require github.com/merchantpay/merchantpay-go v0.0.0

require (
	github.com/go-sql-driver/mysql v1.9.3
	github.com/jackc/pgx/v5 v5.7.6
	github.com/shopspring/decimal v1.6.0
	rsc.io/qr v0.2.0
)

require (
	filippo.io/edwards25519 v1.1.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.2 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64 v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_amd64_musl v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64 v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/linux_arm64_musl v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/windows_386 v0.0.0 // indirect
	github.com/merchantpay/merchantpay-go/internal/lib/windows_amd64 v0.0.0 // indirect
	golang.org/x/crypto v0.37.0 // indirect
	golang.org/x/sync v0.15.0 // indirect
	golang.org/x/text v0.24.0 // indirect
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

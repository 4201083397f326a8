module github.com/merchantpay/merchantpay-go/conformance

go 1.24

require github.com/merchantpay/merchantpay-go v0.0.0

require github.com/shopspring/decimal v1.6.0

replace github.com/merchantpay/merchantpay-go => ../../../../bindings/go

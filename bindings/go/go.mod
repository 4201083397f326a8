module github.com/merchantpay/merchantpay-go

go 1.24

require github.com/shopspring/decimal v1.6.0

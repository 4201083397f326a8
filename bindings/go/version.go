package merchantpay

import "github.com/merchantpay/merchantpay-go/internal/capi"

// Version is the version of the loaded library, such as "0.1.0".
func Version() string {
	version, _ := capi.Version()
	return version
}

// Package merchantpaytest tests a merchant's own code with the sandbox, which simulates the whole service on
// this machine.
//
// [Start] runs the program merchantpay for one test, and [New] for all tests of a package, from TestMain. The
// sandbox ends when the test run ends or is killed. Production code does not import this package.
//
//	func TestAPaymentIsShipped(t *testing.T) {
//		sandbox := merchantpaytest.Start(t)
//		shop := NewShop(sandbox.Client(t))
//		...
//	}
//
// A [Signer] makes signed webhooks, and needs no sandbox.
package merchantpaytest

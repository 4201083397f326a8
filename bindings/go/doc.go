// Package merchantpay is the client of the Merchant Payment Acceptance API: it signs every request, verifies the signature of
// every response, keeps money exact, and reports for every failure whether the request may have taken effect.
//
// "Contract" in these pages is that API's document. The package uses the C library libmerchantpay, which must
// be installed; see the README.
//
// Every error is an [*Error]. Its [Outcome] reports whether the request may be sent again:
//
//   - [OutcomeNotSent]: no byte of it was written; it is safe to send it again.
//   - [OutcomeRejected]: the service refused it in a verified reply; it had no effect.
//   - [OutcomeUnknown]: it may have taken effect. Call [Client.GetStatus], or ask support, before sending it
//     again.
//
// A [Journal] handles such errors: it takes each payment once, by the merchant's own order number.
//
// Any number of goroutines may share a [Client], [WebhookVerifier], [Protocol] or [Journal]. Nothing here
// panics.
package merchantpay

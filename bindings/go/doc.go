// Package merchantpay is the client of the Merchant Payment Acceptance API. It signs every request, verifies the
// signature of every response, keeps money exact, and reports for every failure whether the request may have
// taken effect.
//
// "Contract" in these pages is the document of this API. The package uses the C library libmerchantpay. The
// README shows where the library comes from.
//
// Every error is an [*Error]. Its [Outcome] shows whether it is safe to send the request again:
//
//   - [OutcomeNotSent]: no byte of the request was written; it is safe to send the request again.
//   - [OutcomeRejected]: the service refused the request in a verified reply; the request had no effect.
//   - [OutcomeUnknown]: the request may have taken effect. Call [Client.GetStatus], or ask support, before you
//     send the request again.
//
// A [Journal] handles such errors for you: it takes each payment once, by the merchant's own order number.
//
// Any number of goroutines may share a [Client], [WebhookVerifier], [Protocol] or [Journal]. This package never
// panics.
package merchantpay

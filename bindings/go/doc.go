// Package merchantpay is the client of the Merchant Payment Acceptance API: it signs every request, verifies the signature of
// every response, keeps money exact, and reports for every failure whether the request may have taken effect.
//
// "Contract" in these pages is that API's document. The package stands on the C library libmerchantpay, which has to be
// installed; see the README.
//
// Every error is an [*Error]. Its [Outcome] reports whether the request may be sent again:
//
//   - [OutcomeNotSent]: not one byte of it was written; it is safe to send it again.
//   - [OutcomeRejected]: the service refused, provably; nothing took effect.
//   - [OutcomeUnknown]: it may have taken effect. Ask [Client.GetStatus], or support, before sending it again.
//
// A [Journal] does what is then to be done: it takes each payment once, by the merchant's own order number.
//
// A [Client], [WebhookVerifier], [Protocol] or [Journal] is shared by any number of goroutines. Nothing here panics.
package merchantpay

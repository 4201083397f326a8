package merchantpay

// Code is the kind of an error. Codes are append-only: a later version of the library can have more codes.
type Code string

// codeError is an error that errors.Is finds in every Error with its code.
type codeError Code

func (c codeError) Error() string { return "merchantpay: " + string(c) }

// Outcome shows whether the failed request may have taken effect.
type Outcome string

// Reason is the reason of a refusal, if the contract lists the refusal's text (section 7); else empty.
type Reason string

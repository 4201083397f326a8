package merchantpay

// Code is the kind of an error. Codes are append-only: a later library may have more of them.
type Code string

// codeError is an error that errors.Is finds in every Error with its code.
type codeError Code

func (c codeError) Error() string { return "merchantpay: " + string(c) }

// Outcome reports whether the failed request may have taken effect.
type Outcome string

// Reason is a refusal whose text the contract lists (section 7); empty for any other.
type Reason string

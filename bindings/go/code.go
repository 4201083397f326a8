package merchantpay

// Code is what went wrong. Codes are append-only: a later library may know more of them.
type Code string

// codeError is an error that errors.Is finds in every Error of its code.
type codeError Code

func (c codeError) Error() string { return "merchantpay: " + string(c) }

// Outcome reports whether the request of an error may have taken effect.
type Outcome string

// Reason is a refusal that the contract names (section 7); empty for any other.
type Reason string

package merchantpay_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

func read(t testing.TB, patterns ...string) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	return all.String()
}

func header(t testing.TB) string {
	comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
	return comments.ReplaceAllString(read(t, "../../include/merchantpay.h"), "")
}

// words are the matches' first groups, each once.
func words(text, pattern string) []string {
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// notNeeded is what of the header has no use here, and why.
var notNeeded = map[string]string{
	"mpay_event_kind":                    "mpay_event_fields has it",
	"mpay_event_payment":                 "mpay_event_fields has it",
	"mpay_payment_request_set_sum_minor": "sums are decimals",
	"mpay_payment_sum_minor":             "sums are decimals",
	"mpay_amounts_get_minor":             "sums are decimals",
	"mpay_amount_minor":                  "sums are decimals",
	"MPAY_NO_MINOR":                      "sums are decimals",
	"mpay_payment_order_id":              "mpay_payment_fields has it",
	"mpay_payment_sum":                   "mpay_payment_fields has it",
	"mpay_payment_currency":              "mpay_payment_fields has it",
	"mpay_payment_payee_account":         "mpay_payment_fields has it",
	"mpay_payment_payee_account_bank":    "mpay_payment_fields has it",
	"mpay_payment_payee_name":            "mpay_payment_fields has it",
	"mpay_payment_deal_sum":              "mpay_payment_fields has it",
	"mpay_payment_deal_currency":         "mpay_payment_fields has it",
	"mpay_payment_deal_rate":             "mpay_payment_fields has it",
	"mpay_payment_deeplink":              "mpay_payment_fields has it",
	"mpay_payment_status":                "mpay_payment_fields has it",
	"mpay_payment_is_final":              "mpay_payment_fields has it",
	"mpay_payment_json":                  "mpay_payment_fields has it",
	"mpay_http_request_url":              "mpay_http_request_head has it",
	"mpay_http_request_header_count":     "mpay_http_request_head has it",
	"mpay_http_request_header_name":      "mpay_http_request_head has it",
	"mpay_http_request_header_value":     "mpay_http_request_head has it",
	"mpay_attempt_line":                  "slog has fields",
	"MPAY_API":                           "how C links",
	"MPAY_DLL":                           "how C links",
}

// later are new settings and answers, which reach this language with the generated bindings.
var later = []string{
	"mpay_config_set_allow_http", "mpay_config_set_exclusive_ca", "mpay_config_add_pin_spki", "mpay_config_set_client_certificate",
	"mpay_payment_paid", "MPAY_PAID_EXACTLY", "MPAY_PAID_LESS", "MPAY_PAID_MORE", "mpay_error_is_transient",
	"mpay_config_set_reuse_idle_ms", "mpay_config_set_connect_idle_ms", "mpay_client_connect", "mpay_wait",
}

func TestEveryFunctionAndConstantOfTheHeaderIsUsed(t *testing.T) {
	used := read(t, "internal/capi/*.go", "internal/capi/*.c", "internal/capi/*.h")
	all := words(header(t), `\b(mpay_[a-z_]+)\(`)
	if len(all) < 120 {
		t.Fatalf("the header is not read right: %d functions", len(all))
	}
	all = append(all, words(header(t), `#define (MPAY_[A-Z_]+)`)...)
	for _, name := range all {
		found := regexp.MustCompile(`\b` + name + `\b`).MatchString(used)
		_, ok := notNeeded[name]
		if ok = ok || slices.Contains(later, name); ok == found {
			t.Errorf("%s: used %v, not needed %v", name, found, ok)
		}
	}
}

func TestEveryCodeAndOutcomeOfTheHeaderHasItsNumber(t *testing.T) {
	codes := []merchantpay.Code{
		merchantpay.CodeInvalidArgument, merchantpay.CodeInvalidKey, merchantpay.CodeSigner, merchantpay.CodeTransport,
		merchantpay.CodeTimeout, merchantpay.CodeCancelled, merchantpay.CodeUnverified, merchantpay.CodeMalformed,
		merchantpay.CodeRejected, merchantpay.CodeStorage, merchantpay.CodeInternal,
	}
	numbers := map[string]int{}
	for _, code := range codes {
		numbers[string(code)] = code.Number()
	}
	for _, outcome := range []merchantpay.Outcome{merchantpay.OutcomeNotSent, merchantpay.OutcomeRejected, merchantpay.OutcomeUnknown} {
		numbers["outcome_"+string(outcome)] = outcome.Number()
	}
	found := map[string]int{}
	for _, match := range regexp.MustCompile(`#define MPAY_(\w+) ([0-9]+)\n`).FindAllStringSubmatch(header(t), -1) {
		name, number := strings.ToLower(match[1]), 0
		for _, digit := range match[2] {
			number = number*10 + int(digit-'0')
		}
		switch strings.SplitN(name, "_", 2)[0] {
		case "ok", "event", "balance", "rounding", "paid", "version", "abi":
		default:
			found[name] = number
		}
	}
	if !reflect.DeepEqual(found, numbers) {
		t.Errorf("the header has %v, this package %v", found, numbers)
	}
	if merchantpay.Code("later").Number() != 0 || merchantpay.Outcome("later").Number() != 0 {
		t.Error("an unknown name has a number")
	}
}

// goName is a name of the header in Go's case.
func goName(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts {
		switch part {
		case "id", "url", "pem", "ca", "json", "http":
			parts[i] = strings.ToUpper(part)
		default:
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

func TestEveryOperationAndFieldOfTheHeaderIsHere(t *testing.T) {
	text := header(t)
	operations := words(text, `\bmpay_prepare_([a-z_]+)\(`)
	if len(operations) != 7 {
		t.Fatal(operations)
	}
	for _, operation := range operations {
		name := goName(operation)
		for of, method := range map[reflect.Type]string{
			reflect.TypeFor[*merchantpay.Client]():      name,
			reflect.TypeFor[*merchantpay.Protocol]():    "Prepare" + name,
			reflect.TypeFor[*merchantpay.HTTPRequest](): "Open" + name,
		} {
			if _, ok := of.MethodByName(method); !ok {
				t.Errorf("%s has no %s", of, method)
			}
		}
	}
	elsewhere := map[string]string{
		"TimeoutMs": "Timeout", "ConnectTimeoutMs": "ConnectTimeout", "LogCallback": "Logger", "SignerCallback": "Signer",
	}
	for _, fields := range []struct {
		pattern string
		of      []reflect.Type
	}{
		{`\bmpay_config_set_([a-z_]+)\(`, []reflect.Type{reflect.TypeFor[merchantpay.Config]()}},
		{`\bmpay_payment_request_set_([a-z_]+)\(`, []reflect.Type{
			reflect.TypeFor[merchantpay.PaymentRequest](), reflect.TypeFor[merchantpay.AmountsRequest](),
		}},
		{`\bmpay_error_([a-z_]+)\(`, []reflect.Type{reflect.TypeFor[merchantpay.Error]()}},
		{`\bmpay_payment_((?:order|sum|currency|payee|deal|status|deeplink|json)[a-z_]*)\(`, []reflect.Type{reflect.TypeFor[merchantpay.Payment]()}},
	} {
		names := words(text, fields.pattern)
		if len(names) < 10 {
			t.Fatalf("%s: %v", fields.pattern, names)
		}
		for _, name := range names {
			if slices.ContainsFunc(later, func(function string) bool { return strings.HasSuffix(function, "_"+name) }) {
				continue
			}
			switch name {
			case "free", "code_name", "outcome_name", "body_len", "sum_minor":
				continue
			}
			wanted := goName(name)
			if other, ok := elsewhere[wanted]; ok {
				wanted = other
			}
			if !slices.ContainsFunc(fields.of, func(of reflect.Type) bool { _, ok := of.FieldByName(wanted); return ok }) {
				t.Errorf("%v has no %s", fields.of, wanted)
			}
		}
	}
}

package merchantpay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
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
	return comments.ReplaceAllString(read(t, "../../include/merchantpay.h", "../../include/merchantpay_bindings.h"), "")
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
	"mpay_config_clear_server_keys":      "a Config is a value, and each handle of C is made of a new one",
	"mpay_error_code":                    "mpay_error_code_name says it",
	"mpay_error_outcome":                 "mpay_error_outcome_name says it",
	"mpay_error_reason_code":             "mpay_error_reason says it",
	"mpay_payment_status_code":           "mpay_payment_fields has its text",
	"mpay_payment_paid":                  "sums are compared as decimals",
	"mpay_entry_standing_name":           "standings are numbers",
	"MPAY_PLACEHOLDERS_PERCENT":          "no driver of Go writes parameters so",
	"mpay_reason_name":                   "reasons are texts",
	"mpay_status_name":                   "statuses are texts",
	"MPAY_API":                           "how C links",
	"MPAY_DEPRECATED":                    "nothing is",
	"MPAY_DLL":                           "how C links",
	"MPAY_NODISCARD":                     "by it the C compiler refuses a call whose code is not looked at",

	"mpay_journal_config_set_check_later": "a journal is opened once",
}

// What the bridge alone has to do with has no word of its own here.
var bridged = regexp.MustCompile(`^MPAY_(DATABASE|PLACEHOLDERS|RESOLUTION)_`)

func TestEveryFunctionAndConstantOfTheHeaderIsUsed(t *testing.T) {
	used := read(t, "internal/capi/*.go", "internal/capi/*.c", "internal/capi/*.h")
	all := words(header(t), `\b(mpay_[a-z_]+)\(`)
	if len(all) < 140 {
		t.Fatalf("the header is not read right: %d functions", len(all))
	}
	all = append(all, words(header(t), `#define (MPAY_[A-Z_]+)`)...)
	for _, name := range all {
		if _, ok := definedNumbers[name]; ok {
			continue
		}
		found := regexp.MustCompile(`\b` + name + `\b`).MatchString(used)
		if _, ok := notNeeded[name]; ok == found {
			t.Errorf("%s: used %v, not needed %v", name, found, ok)
		}
	}
}

func TestEveryWordOfTheHeaderHasItsNumber(t *testing.T) {
	found := map[string]int{}
	for _, match := range regexp.MustCompile(`#define (MPAY_\w+) ([0-9]+)\n`).FindAllStringSubmatch(header(t), -1) {
		number, err := strconv.Atoi(match[2])
		if err != nil {
			t.Fatal(err)
		}
		switch match[1] {
		case "MPAY_OK", "MPAY_HEADER_ABI", "MPAY_HEADER_VERSION_NUMBER":
		default:
			if !bridged.MatchString(match[1]) {
				found[match[1]] = number
			}
		}
	}
	if !maps.Equal(found, definedNumbers) {
		t.Errorf("the header has %v, this package %v", found, definedNumbers)
	}
	for name, number := range map[string]int{
		"code": merchantpay.Code("later").Number(), "outcome": merchantpay.Outcome("later").Number(),
		"reason": merchantpay.Reason("later").Number(), "status": merchantpay.Status("later").Number(),
	} {
		if number != 0 {
			t.Errorf("an unknown %s has the number %d", name, number)
		}
	}
}

func TestEveryOperationIsHereAndSaysWhatItIs(t *testing.T) {
	docs := documentation(t)
	for _, operation := range definedOperations {
		names := map[string]reflect.Type{
			operation.name:             reflect.TypeFor[*merchantpay.Client](),
			"Prepare" + operation.name: reflect.TypeFor[*merchantpay.Protocol](),
			"Open" + operation.name:    reflect.TypeFor[*merchantpay.HTTPRequest](),
		}
		for method, of := range names {
			if _, ok := of.MethodByName(method); !ok {
				t.Errorf("%s has no %s", of, method)
			}
		}
		wanted := "POST " + operation.path + " (contract, section " + operation.section + ")"
		for _, name := range []string{"Client." + operation.name, "Protocol.Prepare" + operation.name} {
			if !strings.Contains(strings.Join(strings.Fields(docs[name]), " "), wanted) {
				t.Errorf("%s does not say %q: %q", name, wanted, docs[name])
			}
		}
	}
}

func TestEveryFieldOfAnErrorOfTheHeaderIsHere(t *testing.T) {
	elsewhere := map[string]string{"code_name": "Code", "outcome_name": "Outcome", "reason_code": "Reason", "body_len": "Body"}
	goNames := map[string]string{"http_status": "HTTPStatus", "order_id": "OrderID", "content_type": "ContentType"}
	of := reflect.TypeFor[*merchantpay.Error]()
	for _, name := range words(header(t), `\bmpay_error_([a-z_]+)\(`) {
		wanted, ok := elsewhere[name]
		if !ok {
			wanted, ok = goNames[name]
		}
		if !ok {
			wanted = strings.ToUpper(name[:1]) + name[1:]
		}
		_, isField := of.Elem().FieldByName(wanted)
		_, isTransient := of.MethodByName("IsTransient")
		if !isField && name != "free" && (name != "is_transient" || !isTransient) {
			t.Errorf("an error has no %s", wanted)
		}
	}
}

func TestEverySettingIsHere(t *testing.T) {
	of := reflect.TypeFor[merchantpay.Config]()
	for _, setting := range definedSettings {
		if _, ok := of.FieldByName(setting.name); !ok {
			t.Errorf("Config has no %s", setting.name)
		}
	}
}

func TestEverySettingAndEveryFieldOfTheJournalIsHere(t *testing.T) {
	for of, names := range map[reflect.Type][]string{
		reflect.TypeFor[merchantpay.JournalConfig](): definedJournalSettings,
		reflect.TypeFor[merchantpay.Entry]():         definedEntryFields,
	} {
		for _, name := range names {
			if _, ok := of.FieldByName(name); !ok {
				t.Errorf("%s has no %s", of, name)
			}
		}
	}
}

func TestEveryOperationOfTheJournalIsHere(t *testing.T) {
	elsewhere := map[string]string{
		"Open": "OpenJournal", "Free": "Close", "AcknowledgeWith": "AcknowledgeTx",
		"Derive": "the context of each call", "Interrupt": "the context of each call",
	}
	for _, name := range words(header(t), `\bmpay_journal_([a-z_]+)\(`) {
		if strings.HasPrefix(name, "config_") {
			continue
		}
		method := ""
		for _, word := range strings.Split(name, "_") {
			method += strings.ToUpper(word[:1]) + word[1:]
		}
		_, isMethod := reflect.TypeFor[*merchantpay.Journal]().MethodByName(method)
		if _, is := elsewhere[method]; is == isMethod {
			t.Errorf("%s: a method %v, elsewhere %v", method, isMethod, is)
		}
	}
}

func TestEverythingExportedIsDocumented(t *testing.T) {
	docs := documentation(t)
	if len(docs) < 200 {
		t.Fatalf("the package is not read right: %d names", len(docs))
	}
	for name, doc := range docs {
		if strings.TrimSpace(doc) == "" {
			t.Errorf("%s is not documented", name)
		}
	}
}

// documentation is what the package says of everything that it exports; a constant, variable or field by its own comment.
func documentation(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	put := func(of, name, doc string) {
		if ast.IsExported(name) && (of == "" || ast.IsExported(strings.TrimSuffix(of, "."))) {
			docs[of+name] = doc
		}
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				put(receiver(declared), declared.Name.Name, declared.Doc.Text())
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					putSpec(put, declared, spec)
				}
			}
		}
	}
	return docs
}

// receiver is the type that a method is of, and a dot.
func receiver(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	of := function.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return of.(*ast.Ident).Name + "."
}

func putSpec(put func(of, name, doc string), declared *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		put("", spec.Name.Name, declared.Doc.Text())
		if fields, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range fields.Fields.List {
				for _, name := range field.Names {
					put(spec.Name.Name+".", name.Name, field.Doc.Text())
				}
			}
		}
	case *ast.ValueSpec:
		doc := spec.Doc.Text()
		if len(declared.Specs) == 1 {
			doc += declared.Doc.Text()
		}
		for _, name := range spec.Names {
			put("", name.Name, doc)
		}
	}
}

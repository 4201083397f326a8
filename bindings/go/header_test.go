package merchantpay_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
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

// constant is one constant of the library's machine-readable description.
type constant struct {
	Name  string
	Value int
}

// described returns the functions and constants in the library's machine-readable description.
func described(t testing.TB) (functions []string, constants []constant) {
	t.Helper()
	var library struct {
		Functions, Constants []constant
		Enums                []struct{ Values []constant }
	}
	if err := json.Unmarshal([]byte(read(t, "../../include/merchantpay.json")), &library); err != nil {
		t.Fatal(err)
	}
	for _, function := range library.Functions {
		functions = append(functions, function.Name)
	}
	for _, enum := range library.Enums {
		constants = append(constants, enum.Values...)
	}
	if len(functions) < 200 || len(constants) < 60 {
		t.Fatalf("the description is not read right: %d functions, %d constants", len(functions), len(constants))
	}
	return functions, append(constants, library.Constants...)
}

// named returns the functions with this prefix in their names, without the prefix.
func named(t testing.TB, prefix string) []string {
	t.Helper()
	var rest []string
	functions, _ := described(t)
	for _, name := range functions {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			rest = append(rest, name)
		}
	}
	return rest
}

// notNeeded lists functions of the library that Go does not use, with the reasons.
var notNeeded = map[string]string{
	`mpay_(event|error|attempt|entry)_\w+|mpay_payment_[^r]\w+`:             "the functions whose names end in _fields have it",
	`mpay_(journal_)?config_(set|add)_\w+`:                                  "mpay_config_set and mpay_journal_config_set do it by name",
	`mpay_http_request_(url|header_\w+)`:                                    "mpay_http_request_head has it",
	`mpay_(amounts_get|amount|payment_request_set_sum)_minor|MPAY_NO_MINOR`: "sums are decimals",
	`mpay_payment_request_set`:                                              "each field has a generated call, which looks up no name",
	`mpay_stats_(count|attention|due|overdue_ms|news|pause_note)`:           "mpay_stats_json has it",
	`mpay_config_clear_server_keys`:                                         "a Config is a value, and each handle of C is made of a new one",
	`mpay_config_from_env`:                                                  "the fields of a Config can be read and changed",
	`mpay_(reason|status|outcome)_name`:                                     "they are texts",
	`mpay_(explanation_cause|attention)_name`:                               "their types have the names",
}

// bridged matches the constants that only the C bridge uses. They have no Go name.
var bridged = regexp.MustCompile(`^MPAY_HEADER_|^MPAY_(OK|NO_MINOR)$`)

func TestEveryFunctionAndConstantOfTheLibraryIsUsed(t *testing.T) {
	text := read(t, "internal/capi/*.go", "internal/capi/*.c", "internal/capi/*.h")
	unused, constants := described(t)
	for _, constant := range constants {
		if _, ok := definedNumbers[constant.Name]; !ok {
			unused = append(unused, constant.Name)
		}
	}
	unused = slices.DeleteFunc(unused, func(name string) bool { return regexp.MustCompile(`\b` + name + `\b`).MatchString(text) })
	for pattern, why := range notNeeded {
		left := slices.DeleteFunc(slices.Clone(unused), regexp.MustCompile(`^(`+pattern+`)$`).MatchString)
		if len(left) == len(unused) {
			t.Errorf("nothing is left out because %s", why)
		}
		unused = left
	}
	if len(unused) > 0 {
		t.Errorf("not used: %v", unused)
	}
}

func TestEveryWordOfTheLibraryHasItsNumber(t *testing.T) {
	found := map[string]int{}
	_, constants := described(t)
	for _, constant := range constants {
		if !bridged.MatchString(constant.Name) {
			found[constant.Name] = constant.Value
		}
	}
	if !maps.Equal(found, definedNumbers) {
		t.Errorf("the library has %v, this package %v", found, definedNumbers)
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

func TestEveryFieldOfAnErrorOfTheLibraryIsHere(t *testing.T) {
	elsewhere := map[string]string{"code_name": "Code", "outcome_name": "Outcome", "reason_code": "Reason", "body_len": "Body", "retry_after_ms": "RetryAfter"}
	goNames := map[string]string{"http_status": "HTTPStatus", "order_id": "OrderID", "content_type": "ContentType"}
	of := reflect.TypeFor[*merchantpay.Error]()
	for _, name := range named(t, "mpay_error_") {
		wanted, ok := elsewhere[name]
		if !ok {
			wanted, ok = goNames[name]
		}
		if !ok {
			wanted = strings.ToUpper(name[:1]) + name[1:]
		}
		_, isField := of.Elem().FieldByName(wanted)
		_, isTransient := of.MethodByName("IsTransient")
		if !isField && name != "free" && name != "fields" && (name != "is_transient" || !isTransient) {
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
		"Open": "OpenJournal", "Free": "Close", "Derive": "the context of each call", "Interrupt": "the context of each call",
		"ResolveOrder": "Resolve", "ResolveNoPayment": "Resolve", "ResolveSeen": "Resolve", "ResolveTrusted": "Resolve", "ResolveOrphan": "Resolve",
	}
	for _, name := range named(t, "mpay_journal_") {
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

// documentation maps everything that the package exports to its comment. Constants, variables and fields need
// their own comment.
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

// receiver is the name of a method's type, followed by a dot; "" for a function.
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

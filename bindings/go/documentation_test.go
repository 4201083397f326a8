package merchantpay_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
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

// A call that is added to the library needs a method by hand.
func TestEveryCallHasAMethod(t *testing.T) {
	var library struct{ Calls []struct{ Name, On string } }
	if err := json.Unmarshal([]byte(read(t, "../../include/merchantpay.json")), &library); err != nil || len(library.Calls) < 50 {
		t.Fatal(len(library.Calls), err)
	}
	on := map[string]reflect.Type{
		"client": reflect.TypeFor[*merchantpay.Client](), "protocol": reflect.TypeFor[*merchantpay.Protocol](),
		"verifier": reflect.TypeFor[*merchantpay.WebhookVerifier](), "journal": reflect.TypeFor[*merchantpay.Journal](),
	}
	for _, call := range library.Calls {
		of, ok := on[call.On]
		if name, _, _ := strings.Cut(call.Name, "_"); !ok || name == "derive" || name == "resolve" {
			continue // A context derives, and Resolve takes the resolution.
		}
		method := ""
		for _, word := range strings.Split(call.Name, "_") {
			method += strings.ToUpper(word[:1]) + word[1:]
		}
		if _, ok := of.MethodByName(method); !ok {
			t.Errorf("%s has no %s", of, method)
		}
		opened := strings.Replace(method, "Prepare", "Open", 1)
		if _, ok := reflect.TypeFor[*merchantpay.HTTPRequest]().MethodByName(opened); call.On == "protocol" && !ok {
			t.Errorf("a request has no %s", opened)
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

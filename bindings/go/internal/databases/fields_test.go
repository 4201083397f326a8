package databases_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// fields are those of an entry, as README.md of the cases writes them, read by the entry's own fields.
func fields(entry *merchantpay.Entry) map[string]any {
	if entry.IsOrphan {
		return map[string]any{"orphan": true, "orderId": entry.OrderID}
	}
	earlier := []any{}
	for _, before := range entry.Earlier {
		earlier = append(earlier, fields(before))
	}
	reasons := []any{}
	for _, reason := range entry.Attention {
		reasons = append(reasons, reason.String())
	}
	return map[string]any{
		"reference": entry.Reference, "attempt": float64(entry.Attempt), "standing": entry.Standing.String(),
		"orderId": orNull(entry.OrderID, entry.OrderID), "sumAsked": merchantpay.AmountText(entry.SumAsked),
		"paid": orNull(entry.Paid, entry.Paid.String()), "succeeded": entry.Succeeded, "credentials": entry.Credentials != nil,
		"payment": payment(entry.Payment), "confirm": orNull(entry.Confirm, entry.Confirm.String()),
		"cancel": orNull(entry.Cancel, entry.Cancel.String()), "reported": entry.Reported.String(),
		"acknowledged": entry.Acknowledged.String(), "error": failure(entry.Error), "attention": reasons,
		"createdAt": milliseconds(entry.CreatedAt), "updatedAt": milliseconds(entry.UpdatedAt), "dueAt": milliseconds(entry.DueAt),
		"earlier": earlier,
	}
}

// orNull is a text, and null where the value is absent.
func orNull[T comparable](value T, text string) any {
	var absent T
	if value == absent {
		return nil
	}
	return text
}

func milliseconds(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return float64(at.UnixMilli())
}

func payment(of *merchantpay.Payment) any {
	if of == nil {
		return nil
	}
	written, err := json.Marshal(of)
	if err != nil {
		return err
	}
	return object(written)
}

// object are the fields of JSON, numbers that are sums as texts.
func object(text []byte) map[string]any {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	var fields map[string]any
	if err := reader.Decode(&fields); err != nil {
		return map[string]any{"no JSON": err.Error()}
	}
	for name, value := range fields {
		if number, ok := value.(json.Number); ok {
			fields[name] = number.String()
		}
	}
	return fields
}

func failure(of *merchantpay.Error) any {
	if of == nil {
		return nil
	}
	fields := map[string]any{"code": string(of.Code), "outcome": string(of.Outcome)}
	if of.Description != "" {
		fields["description"] = of.Description
	}
	return fields
}

// checkJSON compares an entry's JSON with its fields.
func checkJSON(t testing.TB, entry *merchantpay.Entry) {
	t.Helper()
	if entry.IsOrphan {
		return
	}
	read, written := fields(entry), map[string]any{}
	if err := json.Unmarshal(entry.JSON, &written); err != nil {
		t.Fatalf("%s: %v", entry.JSON, err)
	}
	delete(read, "earlier")
	var sum struct{ SumAsked json.Number }
	if err := json.Unmarshal(entry.JSON, &sum); err != nil {
		t.Fatal(err)
	}
	written["sumAsked"] = sum.SumAsked.String()
	for _, name := range []string{"credentials", "payment"} {
		if _, ok := written[name].(map[string]any); ok {
			var parts map[string]json.RawMessage
			_ = json.Unmarshal(entry.JSON, &parts)
			written[name] = object(parts[name])
		}
	}
	read["credentials"] = payment(entry.Credentials)
	for name, value := range read {
		if list, ok := value.([]any); ok && len(list) == 0 {
			value = nil
		}
		if !reflect.DeepEqual(value, written[name]) {
			t.Errorf("%s is %v, and in the JSON %v", name, value, written[name])
		}
		delete(written, name)
	}
	if len(written) > 0 {
		t.Errorf("the JSON has %v besides", slices.Sorted(maps.Keys(written)))
	}
	for _, before := range entry.Earlier {
		checkJSON(t, before)
	}
}

// differs says how an entry is not as expected; "" if it is. A text of names is replaced by what has the name.
func differs(found map[string]any, expected map[string]any, named func(string) string) string {
	for name, wanted := range expected {
		value, known := found[name]
		switch {
		case !known:
			return fmt.Sprintf("there is no field %s", name)
		case !matches(name, value, wanted, named):
			return fmt.Sprintf("%s is %v in place of %v", name, value, wanted)
		}
	}
	return ""
}

func matches(name string, value, wanted any, named func(string) string) bool {
	switch wanted := wanted.(type) {
	case bool:
		if name == "orderId" || name == "dueAt" {
			return wanted == (value != nil)
		}
		return value == wanted
	case string:
		return value == named(wanted)
	case map[string]any:
		of, ok := value.(map[string]any)
		return ok && differs(of, wanted, named) == ""
	case []any:
		list, ok := value.([]any)
		if !ok || len(list) != len(wanted) {
			return false
		}
		for i := range wanted {
			if !matches(name, list[i], wanted[i], named) {
				return false
			}
		}
		return true
	default:
		return reflect.DeepEqual(value, wanted)
	}
}

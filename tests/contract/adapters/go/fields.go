package main

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

const errUnset = errCannot("a value that is empty or 0")

// optional has the names of the fields that can be absent. An empty field is treated as absent.
var optional = map[string]bool{
	"currency": true, "payer_bank": true, "merchant_id": true, "status_webhook_url": true, "sum_drift_up": true, "sum_drift_down": true,
}

// fill sets the fields of a structure by their names in snake case, from texts and lists of texts.
func fill(structure any, texts object) error {
	fields := reflect.ValueOf(structure).Elem()
	for name, value := range texts {
		wanted := strings.ReplaceAll(name, "_", "")
		field := fields.FieldByNameFunc(func(name string) bool {
			return strings.EqualFold(name, wanted) || strings.EqualFold(name+"ms", wanted)
		})
		if !field.IsValid() {
			return errCannot("there is no field " + name)
		}
		if bytes, ok := value.(object); ok {
			value = text(bytes)
		}
		if name == "max_retries" && value == "0" {
			value = strconv.Itoa(merchantpay.NoRetries)
		}
		given, ok := value.(string)
		if list, isList := value.([]any); isList {
			for i, one := range list {
				if field.Kind() == reflect.String && i > 0 { // A list of names is one text in Go.
					one = field.String() + "," + text(one)
				}
				if err := set(field, text(one)); err != nil {
					return err
				}
			}
			continue
		} else if !ok {
			return fmt.Errorf("%s is %v", name, value)
		}
		if given == "" && optional[name] {
			return errUnset
		} else if err := set(field, given); err != nil && given != "" {
			return err
		}
	}
	return nil
}

func set(field reflect.Value, given string) (err error) {
	switch field.Interface().(type) {
	case decimal.Decimal:
		var sum decimal.Decimal
		sum, err = amount(given)
		field.Set(reflect.ValueOf(sum))
	case time.Duration:
		var ms int64
		ms, err = digits(given)
		if field.SetInt(ms * int64(time.Millisecond)); ms == 0 {
			field.SetInt(int64(merchantpay.Never))
		}
	case bool:
		field.SetBool(given == "1")
	case int, int64:
		var number int64
		if number, err = digits(given); number == 0 && err == nil {
			return errUnset
		}
		field.SetInt(number)
	case []string:
		field.Set(reflect.Append(field, reflect.ValueOf(given)))
	default:
		field.SetString(given)
	}
	return err
}

// snake converts a Go name to snake case: HTTPStatus becomes http_status.
func snake(name string) string {
	var parts []string
	for start, r := range name {
		isUpper := r >= 'A' && r <= 'Z'
		begins := isUpper && (start == 0 || name[start-1] >= 'a' || start+1 < len(name) && name[start+1] >= 'a')
		if begins || len(parts) == 0 {
			parts = append(parts, "")
		}
		parts[len(parts)-1] += string(r)
	}
	return strings.ToLower(strings.Join(parts, "_"))
}

// fields returns the exported fields of a structure that are present, except the field JSON.
func fields(structure any) object {
	shown, of := object{}, reflect.Indirect(reflect.ValueOf(structure))
	for i := range of.NumField() {
		if name := of.Type().Field(i); name.IsExported() && name.Name != "JSON" {
			if value := field(of.Field(i).Interface()); value != nil {
				shown[snake(name.Name)] = value
			}
		}
	}
	return shown
}

// field returns the value as encoding/json writes it, or nil if the value is absent.
func field(value any) any {
	switch value := value.(type) {
	case decimal.Decimal:
		return field(merchantpay.AmountText(value))
	case *merchantpay.Payment:
		if value != nil {
			return fields(value)
		}
		return nil
	case *merchantpay.Error:
		if value != nil {
			return failure(value)
		}
		return nil
	case []merchantpay.Attention:
		reasons := []string{}
		for _, reason := range value {
			reasons = append(reasons, reason.String())
		}
		return reasons
	case time.Time:
		if value.IsZero() {
			return nil
		}
		return value.UnixMilli()
	case []byte:
		if value == nil {
			return nil
		}
		return hex.EncodeToString(value)
	case bool, int64: // An entry's news are 0 before its first ones.
		return value
	}
	if reflect.ValueOf(value).IsZero() {
		return nil
	}
	if word, ok := value.(fmt.Stringer); ok {
		return word.String()
	}
	return value
}

//go:build cgo

package waist

import (
	"encoding/binary"
	"strconv"
)

// bulk is the length of a value whose bytes are passed beside the frame.
const (
	bulk    = -2
	intSize = 4
)

// writer writes a frame: a count, the lengths of the values, and their bytes. docs/c-abi-description.md has the format.
// Its methods return the new writer, because Go would move a buffer to the heap that is changed by a pointer.
type writer struct {
	bytes []byte
	place int
}

// A value that is not written is absent.
func begin(buffer []byte, count int) writer {
	bytes := binary.NativeEndian.AppendUint32(buffer, uint32(count))
	w := writer{bytes, len(bytes)}
	for range count {
		w.bytes = binary.NativeEndian.AppendUint32(w.bytes, uint32(0xffffffff))
	}
	return w
}

func (w writer) length(length int) writer {
	binary.NativeEndian.PutUint32(w.bytes[w.place:], uint32(int32(length)))
	w.place += intSize
	return w
}

func (w writer) absent() writer {
	w.place += intSize
	return w
}

// value writes a text that may be empty.
func (w writer) value(text string) writer {
	w.bytes = append(w.bytes, text...)
	return w.length(len(text))
}

// text writes a text; "" is absent.
func (w writer) text(text string) writer {
	if text == "" {
		return w.absent()
	}
	return w.value(text)
}

func (w writer) bulk() writer { return w.length(bulk) }

func (w writer) number(number int64) writer { return w.value(strconv.FormatInt(number, 10)) }

func (w writer) handle(handle Handle) writer {
	w.bytes = binary.NativeEndian.AppendUint64(w.bytes, uint64(handle&^callsBack))
	return w.length(8)
}

// texts writes a list of texts, in which "" is a text. A nil list is absent.
func (w writer) texts(texts []string) writer { return w.list(texts, false) }

// fields writes a record of texts, in which "" is absent. A nil record is absent.
func (w writer) fields(texts []string) writer { return w.list(texts, true) }

func (w writer) list(texts []string, isRecord bool) writer {
	if texts == nil {
		return w.absent()
	}
	start := len(w.bytes)
	inner := begin(w.bytes, len(texts))
	for _, text := range texts {
		if isRecord {
			inner = inner.text(text)
		} else {
			inner = inner.value(text)
		}
	}
	return w.end(inner, start)
}

// end ends a frame inside this one, which began at this place.
func (w writer) end(inner writer, start int) writer {
	w.bytes = inner.bytes
	return w.length(len(w.bytes) - start)
}

// reader reads the values of a frame one after another. One that is absent is "", 0 or nil, and so is one behind the end:
// an older library sends fewer.
type reader struct {
	lengths, body string
}

func read(frame string) reader {
	if len(frame) < intSize {
		return reader{}
	}
	end := intSize * (1 + int(int32(number32(frame))))
	return reader{frame[intSize:end], frame[end:]}
}

func number32(text string) uint32 {
	return binary.NativeEndian.Uint32([]byte(text[:intSize]))
}

func (r *reader) unread() int { return len(r.lengths) / intSize }

func (r *reader) next() (value string, present bool) {
	if len(r.lengths) == 0 {
		return "", false
	}
	length := int(int32(number32(r.lengths)))
	r.lengths = r.lengths[intSize:]
	if length < 0 {
		return "", false
	}
	value, r.body = r.body[:length], r.body[length:]
	return value, true
}

func (r *reader) text() string {
	text, _ := r.next()
	return text
}

func (r *reader) data() []byte {
	if data, present := r.next(); present {
		return []byte(data)
	}
	return nil
}

func (r *reader) number() int64 {
	number, _ := strconv.ParseInt(r.text(), 10, 64)
	return number
}

func (r *reader) optional() *int64 {
	text, present := r.next()
	if !present {
		return nil
	}
	number, _ := strconv.ParseInt(text, 10, 64)
	return &number
}

func (r *reader) flag() bool { return r.text() == "1" }

// object reads a handle from a call on another object; it calls Go if that one does.
func (h Handle) object(value string) Handle {
	if len(value) != 8 {
		return 0
	}
	return h&callsBack | Handle(binary.NativeEndian.Uint64([]byte(value)))
}

// texts reads a list of texts, or names and values by turns.
func (r *reader) texts() []string {
	text, present := r.next()
	if !present {
		return nil
	}
	return pairsOf(text)
}

func pairsOf(text string) []string {
	return listOf(text, func(value string) string { return value })
}

func listOf[T any](text string, value func(string) T) []T {
	from := read(text)
	values := make([]T, from.unread())
	for i := range values {
		values[i] = value(from.text())
	}
	return values
}

func record[T any](r *reader, value func(string) T) *T {
	text, present := r.next()
	if !present {
		return nil
	}
	read := value(text)
	return &read
}

package waist

import (
	"encoding/binary"
	"strconv"
)

// The lengths of values that have no bytes of their own.
const (
	absent = -1
	bulk   = -2
)

const intSize = 4

// writer writes a frame: a count, the lengths of the values, and their bytes. docs/c-abi-description.md has the format.
type writer struct {
	bytes []byte
	place int
}

// begin begins a frame in a buffer. A value that is not written is absent.
func begin(buffer []byte, count int) writer {
	w := writer{bytes: binary.NativeEndian.AppendUint32(buffer, uint32(count))}
	w.place = len(w.bytes)
	for range count {
		w.bytes = binary.NativeEndian.AppendUint32(w.bytes, uint32(0xffffffff))
	}
	return w
}

func (w *writer) length(length int) {
	binary.NativeEndian.PutUint32(w.bytes[w.place:], uint32(int32(length)))
	w.place += intSize
}

// text writes a text; "" is absent.
func (w *writer) text(text string) {
	if text == "" {
		w.place += intSize
		return
	}
	w.bytes = append(w.bytes, text...)
	w.length(len(text))
}

// data writes bytes; nil is absent.
func (w *writer) data(data []byte) {
	if data == nil {
		w.place += intSize
		return
	}
	w.bytes = append(w.bytes, data...)
	w.length(len(data))
}

// bulk writes the place of the bytes that are passed beside the frame.
func (w *writer) bulk() { w.length(bulk) }

func (w *writer) number(number int64) {
	start := len(w.bytes)
	w.bytes = strconv.AppendInt(w.bytes, number, 10)
	w.length(len(w.bytes) - start)
}

func (w *writer) handle(handle uint64) {
	w.bytes = binary.NativeEndian.AppendUint64(w.bytes, handle)
	w.length(8)
}

// texts writes a list of texts, in which "" is a text. A nil list is absent.
func (w *writer) texts(texts []string) {
	if texts == nil {
		w.place += intSize
		return
	}
	w.nested(len(texts), func(list *writer) {
		for _, text := range texts {
			list.bytes = append(list.bytes, text...)
			list.length(len(text))
		}
	})
}

// fields writes a record of texts, in which "" is absent. A nil record is absent.
func (w *writer) fields(texts []string) {
	if texts == nil {
		w.place += intSize
		return
	}
	w.nested(len(texts), func(record *writer) {
		for _, text := range texts {
			record.text(text)
		}
	})
}

func (w *writer) nested(count int, fill func(*writer)) {
	start := len(w.bytes)
	inner := begin(w.bytes, count)
	fill(&inner)
	w.bytes = inner.bytes
	w.length(len(w.bytes) - start)
}

// reader reads the values of a frame one after another. A value behind the end is absent: an older library sends
// fewer.
type reader struct {
	lengths, body string
}

// read reads a frame that the library has written.
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

// count returns the number of values that are not read yet.
func (r *reader) count() int { return len(r.lengths) / intSize }

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

// text reads a text; "" if it is absent.
func (r *reader) text() string {
	text, _ := r.next()
	return text
}

// data reads bytes; nil if they are absent.
func (r *reader) data() []byte {
	if data, present := r.next(); present {
		return []byte(data)
	}
	return nil
}

// number reads a number; 0 if it is absent.
func (r *reader) number() int64 {
	number, _ := strconv.ParseInt(r.text(), 10, 64)
	return number
}

// optional reads a number; nil if it is absent.
func (r *reader) optional() *int64 {
	text, present := r.next()
	if !present {
		return nil
	}
	number, _ := strconv.ParseInt(text, 10, 64)
	return &number
}

func (r *reader) flag() bool { return r.text() == "1" }

func (r *reader) handle() Handle {
	return handleOf(r.text())
}

func handleOf(value string) Handle {
	if len(value) != 8 {
		return 0
	}
	return Handle(binary.NativeEndian.Uint64([]byte(value)))
}

// texts reads a list of texts, or names and values by turns; nil if it is absent.
func (r *reader) texts() []string {
	text, present := r.next()
	if !present {
		return nil
	}
	return pairsOf(text)
}

// list reads a list of values; nil if it is absent.
func list[T any](r *reader, value func(string) T) []T {
	text, present := r.next()
	if !present {
		return nil
	}
	return listOf(text, value)
}

// pairsOf reads a list of texts.
func pairsOf(text string) []string {
	return listOf(text, func(value string) string { return value })
}

func listOf[T any](text string, value func(string) T) []T {
	from := read(text)
	values := make([]T, from.count())
	for i := range values {
		values[i] = value(from.text())
	}
	return values
}

// record reads a record; nil if it is absent.
func record[T any](r *reader, value func(string) T) *T {
	text, present := r.next()
	if !present {
		return nil
	}
	read := value(text)
	return &read
}

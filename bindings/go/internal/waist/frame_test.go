package waist

import (
	"slices"
	"testing"
)

func TestFramesAreReadAsTheyAreWritten(t *testing.T) {
	w := begin(nil, 8).text("text").text("").value("").number(-7).handle(1 << 40).texts([]string{"a", "", "c"}).fields([]string{"x", ""})
	r := read(string(w.bytes))
	if text, empty, data := r.text(), r.text(), r.data(); text != "text" || empty != "" || data == nil || len(data) != 0 {
		t.Error(text, empty, data)
	}
	if number, handle, texts := r.number(), Handle(0).object(r.text()), r.texts(); number != -7 || handle != 1<<40 || !slices.Equal(texts, []string{"a", "", "c"}) {
		t.Error(number, handle, texts)
	}
	if fields := read(r.text()); fields.text() != "x" || fields.optional() != nil || fields.count() != 0 {
		t.Error("the record differs")
	}
	if r.count() != 1 || r.texts() != nil || r.text() != "" {
		t.Error("a value that was not written is not absent")
	}
}

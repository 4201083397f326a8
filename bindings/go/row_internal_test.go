package merchantpay

import (
	"testing"
	"time"
)

func TestRowOfCallsYieldsOnceASlice(t *testing.T) {
	var calls row
	const began, each = time.Hour, 50 * time.Microsecond
	yields := 0
	for now := began; now < began+time.Second; now += each {
		if calls.isDue(now) {
			yields++
		}
		calls.ended.Store(int64(now))
	}
	if wanted := int(time.Second/rowSlice) - 1; yields != wanted {
		t.Errorf("%d yields in place of %d", yields, wanted)
	}
	for now := began + time.Minute; now < began+2*time.Minute; now += 2 * rowPause {
		if calls.isDue(now) {
			t.Fatal("a call after a pause yields")
		}
		calls.ended.Store(int64(now))
	}
}

package merchantpay

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Go's monitor takes the processor from a goroutine that has run for 10 ms. A return from C does not start a
// new time slice. So a goroutine with many calls in a row would lose its processor at each tick of the monitor,
// which costs a quarter more processor time per call. To avoid that, the client itself yields the processor
// once in each rowSlice.
const (
	rowSlice = 4 * time.Millisecond
	rowPause = time.Millisecond // Calls with longer pauses are not consecutive.
)

// row is a sequence of calls of a client without a pause between them.
type row struct{ began, ended atomic.Int64 }

var processBegan = time.Now()

// begin yields the processor once in a time slice, which starts a new slice.
func (r *row) begin() {
	if r.isDue(time.Since(processBegan)) {
		runtime.Gosched()
	}
}

func (r *row) isDue(now time.Duration) bool {
	follows := now-time.Duration(r.ended.Load()) <= rowPause
	if follows && now-time.Duration(r.began.Load()) < rowSlice {
		return false
	}
	r.began.Store(int64(now))
	return follows
}

func (r *row) end() { r.ended.Store(int64(time.Since(processBegan))) }

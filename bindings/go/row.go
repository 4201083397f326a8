package merchantpay

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Go's monitor takes the processor from a goroutine that has run for 10 ms, and a return from C starts no new
// time slice. Without this, a goroutine with consecutive calls would lose its processor at each tick of the
// monitor, which costs a quarter more processor time per call.
const (
	rowSlice = 4 * time.Millisecond
	rowPause = time.Millisecond // Calls with longer pauses are not consecutive.
)

// row is a sequence of a client's calls without a pause.
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

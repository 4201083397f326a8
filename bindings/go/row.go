package merchantpay

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Go's monitor takes the processor from a goroutine that has run for 10 ms, and a return from C begins no new time slice. A goroutine
// that makes calls in a row would lose its processor at each of the monitor's ticks, for a quarter more processor time a call.
const (
	rowSlice = 4 * time.Millisecond
	rowPause = time.Millisecond // Calls that are further apart are no row.
)

// row is the calls of a client that follow each other without a pause.
type row struct{ began, ended atomic.Int64 }

var processBegan = time.Now()

// begin yields the processor once in a slice, which begins a new one.
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

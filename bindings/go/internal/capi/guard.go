package capi

import "sync/atomic"

// closed is added to a guard's count when the guard is closed.
const closed = -1 << 62

// guard counts the running calls on a C handle, so that the last one frees the handle after Close.
type guard struct{ calls atomic.Int64 }

// enter returns false if the guard is closed.
func (g *guard) enter() bool {
	for {
		calls := g.calls.Load()
		if calls < 0 {
			return false
		}
		if g.calls.CompareAndSwap(calls, calls+1) {
			return true
		}
	}
}

// leave ends a call that enter began. It returns true if the handle must now be freed.
func (g *guard) leave() bool { return g.calls.Add(-1) == closed }

// close refuses further calls. It returns true if the handle must now be freed.
func (g *guard) close() bool {
	for {
		calls := g.calls.Load()
		if calls < 0 {
			return false
		}
		if g.calls.CompareAndSwap(calls, calls+closed) {
			return calls == 0
		}
	}
}

package capi

import "sync/atomic"

// closed is added to a guard's count when it is closed.
const closed = -1 << 62

// guard counts the calls under way on a handle of C, so that the last one out frees it after Close.
type guard struct{ calls atomic.Int64 }

// enter is false if the guard is closed.
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

// leave ends what enter began. It is true if the handle is now to be freed.
func (g *guard) leave() bool { return g.calls.Add(-1) == closed }

// close lets nobody in any more. It is true if the handle is now to be freed.
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

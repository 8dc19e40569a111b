//! Locks for what is remembered between calls, which are free when a process is forked.
//!
//! A fork copies the memory of all threads but only one of the threads. A lock that another
//! one holds at that moment stays locked in the copy, with no one to unlock it. So whoever
//! holds one of these locks holds a gate open as well, and a fork waits at the gate.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

static GATE: RwLock<()> = RwLock::new(());

thread_local! {
    /// The gate, while this thread forks.
    static CLOSED: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
    /// How many locks this thread holds.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Waits until no lock is held, and lets none be taken.
pub fn before_fork() {
    let gate = GATE.write().expect(UNHURT);
    CLOSED.with_borrow_mut(|closed| *closed = Some(gate));
}

/// Lets locks be taken again, in the process that has forked and in the one forked off.
pub fn after_fork() {
    CLOSED.with_borrow_mut(Option::take);
}

/// Whether this thread holds a lock, for which a fork may be waiting.
pub fn is_held() -> bool {
    HELD.get() > 0
}

const UNHURT: &str = "no one has failed while holding it";

/// A value that many may read or one may write; a thread takes one such lock at a time.
#[derive(Default)]
pub struct ForkLock<T>(RwLock<T>);

impl<T> ForkLock<T> {
    pub fn read(&self) -> Held<RwLockReadGuard<'_, T>> {
        let gate = Gate::new();
        Held { guard: self.0.read().expect(UNHURT), _gate: gate }
    }

    pub fn write(&self) -> Held<RwLockWriteGuard<'_, T>> {
        let gate = Gate::new();
        Held { guard: self.0.write().expect(UNHURT), _gate: gate }
    }
}

/// The gate, held open.
struct Gate {
    _open: RwLockReadGuard<'static, ()>,
}

impl Gate {
    fn new() -> Self {
        let open = GATE.read().expect(UNHURT);
        HELD.set(HELD.get() + 1);
        Gate { _open: open }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        HELD.set(HELD.get() - 1);
    }
}

/// A lock that is held, and the gate with it.
pub struct Held<G> {
    guard: G,
    _gate: Gate,
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_is_closed_while_forking() {
        let lock = ForkLock::<u32>::default();
        *lock.write() += 1;
        before_fork();
        assert!(GATE.try_read().is_err());
        after_fork();
        assert_eq!(*lock.read(), 1);
    }
}

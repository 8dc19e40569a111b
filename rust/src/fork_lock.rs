//! Locks for what is remembered between calls, which are free when a process is forked.
//!
//! A fork copies the memory of all threads but only one of the threads. A lock that another
//! one holds at that moment stays locked in the copy, with no one to unlock it. So whoever
//! holds one of these locks holds a gate open as well, and a fork waits at the gate.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

static GATE: RwLock<()> = RwLock::new(());

thread_local! {
    /// The gate, while this thread forks.
    static CLOSED: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
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

const UNHURT: &str = "no one has failed while holding it";

/// A value that many may read or one may write; a thread takes one such lock at a time.
#[derive(Default)]
pub struct ForkLock<T>(RwLock<T>);

impl<T> ForkLock<T> {
    pub fn read(&self) -> Reading<'_, T> {
        let gate = GATE.read().expect(UNHURT);
        Reading { value: self.0.read().expect(UNHURT), _gate: gate }
    }

    pub fn write(&self) -> Writing<'_, T> {
        let gate = GATE.read().expect(UNHURT);
        Writing { value: self.0.write().expect(UNHURT), _gate: gate }
    }
}

pub struct Reading<'a, T> {
    value: RwLockReadGuard<'a, T>,
    _gate: RwLockReadGuard<'static, ()>,
}

pub struct Writing<'a, T> {
    value: RwLockWriteGuard<'a, T>,
    _gate: RwLockReadGuard<'static, ()>,
}

impl<T> Deref for Reading<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Deref for Writing<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Writing<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
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

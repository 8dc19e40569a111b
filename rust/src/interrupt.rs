//! Giving up long work, in any kernel: one flag, and one cheap call that looks at it.
//!
//! A kernel says with `spend` how much it has done, in units of about a nanosecond; after a million
//! of them it looks whether someone wants it to stop. If so it unwinds to `catch`, without a message
//! and through every frame, so that no kernel hands errors on. Memory that a thread keeps for its
//! next call is lent by `with_scratch`: what was lent when a kernel gave up is thrown away.

use crate::fork_lock;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::LocalKey;

/// Units of work between two looks.
pub const BUDGET: usize = 1 << 20;

/// What a kernel unwinds with that was told to stop by its thread's flag.
pub struct Interrupted;

/// What a kernel unwinds with: `Interrupted`, or what `ask_before_going_on` was given.
pub type Reason = Box<dyn Any + Send>;

/// Why work should stop, if it should; asked about every millisecond in threads without a flag.
pub type Question = fn() -> Option<Reason>;

static QUESTION: OnceLock<Question> = OnceLock::new();

thread_local! {
    static LEFT: Cell<usize> = const { Cell::new(BUDGET) };
    static FLAG: RefCell<Option<Flag>> = const { RefCell::new(None) };
}

/// Tells the kernels of one or more threads to stop, from another thread.
#[derive(Clone, Default)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does some work whose kernels, in this thread, stop once the flag is set.
    pub fn guard<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<Flag>);
        impl Drop for Restore {
            fn drop(&mut self) {
                FLAG.set(self.0.take());
            }
        }
        let _restore = Restore(FLAG.replace(Some(self.clone())));
        work()
    }
}

/// Sets the question that threads without a flag ask. The first one stays.
pub fn ask_before_going_on(question: Question) {
    QUESTION.get_or_init(|| question);
}

/// Does some work, unless this thread's flag is set already; the reason if the work gave up.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Reason> {
    if is_stopped() {
        return Err(Box::new(Interrupted));
    }
    // Whatever the work has changed is dropped with it, or thrown away by `with_scratch`.
    catch_unwind(AssertUnwindSafe(work))
}

/// Notes that so much has been done, and gives up if that is wanted.
#[inline(always)]
pub fn spend(units: usize) {
    LEFT.with(|left| match left.get().checked_sub(units) {
        Some(rest) => left.set(rest),
        None => {
            left.set(BUDGET);
            look();
        }
    });
}

/// Adds up small amounts where even `spend` would be felt.
#[derive(Default)]
pub struct Meter(usize);

impl Meter {
    #[inline(always)]
    pub fn spend(&mut self, units: usize) {
        self.0 += units;
        if self.0 >= BUDGET / 64 {
            spend(std::mem::take(&mut self.0));
        }
    }
}

#[cold]
#[inline(never)]
fn look() {
    // Whoever forks waits for the locks of this thread and holds what the question waits for.
    if fork_lock::is_held() {
        return;
    }
    if FLAG.with_borrow(Option::is_some) {
        if is_stopped() {
            resume_unwind(Box::new(Interrupted));
        }
        return;
    }
    if let Some(reason) = QUESTION.get().and_then(|question| question()) {
        resume_unwind(reason);
    }
}

fn is_stopped() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(Flag::is_set))
}

/// A thread's memory for calls to come.
pub type Scratch<S> = Cell<Option<Box<S>>>;

/// Lends the thread's memory to some work. If the work gives up, the memory, in whatever state
/// it then is, is dropped.
#[inline(always)]
pub fn with_scratch<S: Default, T>(
    kept: &'static LocalKey<Scratch<S>>,
    work: impl FnOnce(&mut S) -> T,
) -> T {
    let mut scratch = kept.take().unwrap_or_default();
    let answer = work(&mut scratch);
    kept.set(Some(scratch));
    answer
}

/// Makes a list as long as this, filled up with a value, and can give up in between: to touch much
/// memory for the first time takes long.
pub fn grow<T: Clone>(values: &mut Vec<T>, length: usize, value: T) {
    values.reserve_exact(length.saturating_sub(values.len()));
    while values.len() < length {
        let more = (length - values.len()).min(BUDGET / 16);
        spend(more);
        values.resize(values.len() + more, value.clone());
    }
}

/// Sorts large slices in parts, so that it can give up in between.
pub fn sort<T: Ord>(values: &mut [T]) {
    if values.len() <= BUDGET / 16 {
        return values.sort_unstable();
    }
    spend(16 * values.len());
    let (less, _, more) = values.select_nth_unstable(values.len() / 2);
    sort(less);
    sort(more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;

    thread_local! {
        static KEPT: Scratch<Vec<u32>> = const { Cell::new(None) };
    }

    #[test]
    fn work_stops_once_the_flag_is_set() {
        let flag = Flag::default();
        let mut rounds = 0;
        let ended = flag.guard(|| {
            catch(|| {
                loop {
                    rounds += 1;
                    if rounds == 10 {
                        flag.set();
                    }
                    spend(BUDGET / 3);
                }
            })
        });
        let reason: Result<(), _> = ended;
        assert!(reason.unwrap_err().is::<Interrupted>());
        assert!((10..=13).contains(&rounds));
        // The flag is this work's only, and what it guards is not even begun.
        assert!(catch(|| spend(3 * BUDGET)).is_ok());
        assert!(flag.guard(|| catch(|| rounds += 1)).is_err());
        assert!(rounds <= 13);
    }

    #[test]
    fn panics_are_no_interrupts() {
        let ended: Result<(), _> = catch(|| resume_unwind(Box::new("a fault")));
        assert!(!ended.unwrap_err().is::<Interrupted>());
    }

    #[test]
    fn half_done_memory_is_thrown_away() {
        with_scratch(&KEPT, |numbers| numbers.push(1));
        with_scratch(&KEPT, |numbers| assert_eq!(*numbers, [1]));
        let flag = Flag::default();
        flag.guard(|| {
            let ended = catch(|| {
                with_scratch(&KEPT, |numbers| {
                    numbers.push(2);
                    flag.set();
                    spend(BUDGET + 1);
                    spend(BUDGET + 1);
                })
            });
            assert!(ended.is_err());
        });
        with_scratch(&KEPT, |numbers| assert!(numbers.is_empty()));
    }

    #[test]
    fn locks_are_not_left_behind() {
        let lock = fork_lock::ForkLock::<u32>::default();
        let flag = Flag::default();
        flag.guard(|| {
            let ended = catch(|| {
                let mut value = lock.write();
                flag.set();
                spend(BUDGET + 1);
                *value = 1;
            });
            assert!(ended.is_ok());
        });
        assert_eq!(*lock.read(), 1);
    }

    #[test]
    fn large_slices_are_sorted() {
        let mut random = Random(1);
        let mut values: Vec<u32> = (0..300_000).map(|_| random.below(1 << 16)).collect();
        let mut expected = values.clone();
        expected.sort_unstable();
        sort(&mut values);
        assert_eq!(values, expected);
    }
}

//! A few inputs for each law; `make fuzz` tries as many as there is time for.

mod laws;

use laws::{LAWS, Source, every_kernel_gives_up, random_bytes};

/// How many inputs each law is tried on: few where an interpreter checks every step.
const ROUNDS: u64 = if cfg!(miri) { 1 } else { 25 };

#[test]
fn laws_hold() {
    for (name, law) in LAWS {
        for seed in 0..ROUNDS {
            let bytes = random_bytes(seed, 40 << (seed % 6));
            let held = std::panic::catch_unwind(|| law(&mut Source(&bytes)));
            assert!(held.is_ok(), "{name}, seed {seed}");
        }
    }
}

#[test]
fn kernels_give_up() {
    every_kernel_gives_up();
}

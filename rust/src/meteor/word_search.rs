//! The beam search where every link joins one word to one word: the same result for less work.
//!
//! Only the order of states matters, and what is added to all of them alike does not change it:
//! between two choices only the first word can tell states apart, by the chunk it breaks. Offers
//! are made level by level, by words matched, and the beam is full before most are made. Nor can
//! a state come first in the end that lies further behind than it could ever catch up.

use super::links::{Link, Links};
use crate::interrupt::{self, spend, with_scratch};
use std::cell::Cell;

/// How many words a side may have here.
pub const LONGEST: usize = 256;

const BEAM: usize = 40;
/// What a word of the reference takes, in units of `spend`.
const WORD: usize = 100;
const NOWHERE: u32 = u32::MAX;

/// Makes one state better than another, least is best, in one number: from high to low words
/// not matched, chunks, distance, and the place in the queue, which is parent and choice.
type Rank = u64;

const MATCHED: u32 = 54;
const CHUNKS: u32 = 44;
const DISTANCE: u32 = 16;
const PARENT: u32 = 10;
const PLACE: Rank = (1 << DISTANCE) - 1;
const START: Rank = 0x3ff << MATCHED;

/// What an exact link of two words adds to the words matched. Other links add nothing.
const EXACT: u64 = 2;

/// A partial alignment, of the reference's words so far.
#[derive(Clone, Copy)]
struct State<const N: usize> {
    rank: Rank,
    /// A bit for each word of the output that is taken.
    taken: [u64; N],
    /// Where in the output the open chunk would go on.
    open: u32,
    /// The last step of the way here.
    path: u32,
}

/// A chosen link, by its reference word and its number there, and the step before it.
#[derive(Clone, Copy)]
struct Step {
    at: u16,
    number: u16,
    before: u32,
}

struct Search<const N: usize> {
    states: Vec<State<N>>,
    following: Vec<State<N>>,
    offers: Vec<Rank>,
    steps: Vec<Step>,
    /// How many matched words a state that is behind may catch up, from each word on.
    catch_up: Vec<u64>,
    numbers: [u16; LONGEST],
}

impl<const N: usize> Default for Search<N> {
    fn default() -> Self {
        Search {
            states: Vec::new(),
            following: Vec::new(),
            offers: Vec::new(),
            steps: Vec::new(),
            catch_up: Vec::new(),
            numbers: [0; LONGEST],
        }
    }
}

thread_local! {
    static SHORT: interrupt::Scratch<Search<1>> = const { Cell::new(None) };
    static LONG: interrupt::Scratch<Search<{ LONGEST / 64 }>> = const { Cell::new(None) };
}

/// Adds the links chosen where there is a choice, from the last to the first.
pub fn choose(links: &Links, chosen: &mut Vec<Link>) {
    if links.hyp_words() <= 64 {
        with_scratch(&SHORT, |search| search.run(links, chosen));
    } else {
        with_scratch(&LONG, |search| search.run(links, chosen));
    }
}

impl<const N: usize> Search<N> {
    fn run(&mut self, links: &Links, chosen: &mut Vec<Link>) {
        spend(WORD * links.reference_words());
        if !self.look_ahead(links) {
            return;
        }
        self.steps.clear();
        self.states.clear();
        self.states.push(State { rank: START, taken: [0; N], open: NOWHERE, path: NOWHERE });
        // Where the open chunk of every state would go on, if that is the same place.
        let mut common = Some(NOWHERE);
        for at in 0..links.reference_words() {
            let certain = links.certain(at);
            if certain.is_some() || links.at(at).is_empty() {
                if common.is_none() {
                    self.go_on(certain.map(|link| link.hyp));
                }
                common = Some(certain.map_or(NOWHERE, |link| link.hyp_end()));
                continue;
            }
            if let Some(open) = common.take() {
                self.states.iter_mut().for_each(|state| state.open = open);
            }
            self.offer(links.at(at), self.catch_up[at + 1]);
            self.accept(links.at(at), at);
        }
        if common.is_none() {
            self.go_on(None);
        }
        let mut path = self.states[0].path;
        while path != NOWHERE {
            let step = self.steps[path as usize];
            chosen.push(links.at(step.at as usize)[step.number as usize]);
            path = step.before;
        }
    }

    /// Fills `catch_up`; false if there is no choice to be made at all.
    ///
    /// The best state surely gains at a word that has more equal words in the output than
    /// earlier words could have taken. Where it may not, others may win back two words.
    fn look_ahead(&mut self, links: &Links) -> bool {
        let words = links.reference_words();
        let mut rivals = [0u16; LONGEST];
        let mut any = false;
        self.catch_up.clear();
        self.catch_up.resize(words + 1, 0);
        for at in 0..words {
            let candidates = links.at(at);
            if candidates.is_empty() || links.certain(at).is_some() {
                continue;
            }
            any = true;
            let exact = exact(candidates);
            if exact > 0 && exact <= rivals[candidates[0].hyp as usize] as usize {
                self.catch_up[at] = EXACT;
            }
            for link in candidates {
                rivals[link.hyp as usize] += 1;
            }
        }
        for at in (0..words).rev() {
            self.catch_up[at] += self.catch_up[at + 1];
        }
        any
    }

    /// A word without choice after one with a choice: linked to a word of the output, or to none.
    ///
    /// The states whose chunk breaks and those whose chunk does not keep their order among
    /// themselves.
    fn go_on(&mut self, hyp: Option<u32>) {
        let more = |state: &State<N>| broken(state.open, hyp.unwrap_or(NOWHERE));
        self.offers.clear();
        self.following.clear();
        for (place, state) in self.states.iter_mut().enumerate() {
            let added = more(state);
            state.rank += added;
            if added > 0 {
                self.offers.push(state.rank | place as u64);
            }
        }
        if self.offers.is_empty() || self.offers.len() == self.states.len() {
            return;
        }
        let mut worse = self.offers.iter().peekable();
        for (place, state) in self.states.iter().enumerate() {
            if more(state) > 0 {
                continue;
            }
            while let Some(rank) = worse.next_if(|rank| **rank < state.rank | place as u64) {
                self.following.push(self.states[(rank & PLACE) as usize]);
            }
            self.following.push(*state);
        }
        self.following.extend(worse.map(|rank| self.states[(rank & PLACE) as usize]));
        std::mem::swap(&mut self.states, &mut self.following);
    }

    /// Fills `offers` with the best ways to go on, best first.
    fn offer(&mut self, candidates: &[Link], catch_up: u64) {
        let choice = Choice::new(candidates, &mut self.numbers);
        let states = &self.states[..];
        let offers = &mut self.offers;
        offers.clear();
        let (mut linked, mut passed) = (0, 0);
        let mut level = level_of(states[0].rank) - EXACT;
        let mut last = u64::MAX;
        while offers.len() < BEAM && passed < states.len() && level <= last {
            let start = offers.len();
            // What is worse than this does not get into the beam.
            let mut limit = Rank::MAX;
            while linked < states.len() && level_of(states[linked].rank) <= level + EXACT {
                let state = &states[linked];
                if state.rank - (EXACT << MATCHED) < limit {
                    choice.offer_exact(state, linked, offers);
                    limit = cut_if_long(offers, start, limit);
                }
                linked += 1;
            }
            while passed < states.len() && level_of(states[passed].rank) <= level {
                let state = &states[passed];
                if state.rank < limit {
                    choice.offer_others(state, passed, offers);
                    limit = cut_if_long(offers, start, limit);
                }
                passed += 1;
            }
            if start == 0 && !offers.is_empty() {
                last = level + catch_up;
            }
            if offers.len() > BEAM {
                cut(offers, start);
            }
            offers[start..].sort_unstable();
            level += EXACT;
        }
    }

    /// Makes the offers the new states.
    fn accept(&mut self, candidates: &[Link], at: usize) {
        self.following.clear();
        for rank in &self.offers {
            let mut state = self.states[((rank & PLACE) >> PARENT) as usize];
            state.rank = rank & !PLACE;
            let number = rank & ((1 << PARENT) - 1);
            if let Some(link) = candidates.get(number as usize) {
                take(&mut state.taken, link.hyp);
                state.open = link.hyp_end();
                let step = Step { at: at as u16, number: number as u16, before: state.path };
                state.path = self.steps.len() as u32;
                self.steps.push(step);
            } else {
                state.open = NOWHERE;
            }
            self.following.push(state);
        }
        std::mem::swap(&mut self.states, &mut self.following);
    }
}

/// The candidates at a reference word: the exact ones as bits of the output's words, then others.
struct Choice<'a, const N: usize> {
    exact: [u64; N],
    /// The number of the exact candidate of each word of the output that has one.
    numbers: &'a [u16; LONGEST],
    others: &'a [Link],
    all: usize,
    at: u32,
}

impl<'a, const N: usize> Choice<'a, N> {
    fn new(candidates: &'a [Link], numbers: &'a mut [u16; LONGEST]) -> Self {
        let (exact_links, others) = candidates.split_at(exact(candidates));
        let mut exact = [0; N];
        for (number, link) in exact_links.iter().enumerate() {
            take(&mut exact, link.hyp);
            numbers[link.hyp as usize] = number as u16;
        }
        Choice { exact, numbers, others, all: candidates.len(), at: candidates[0].reference }
    }

    /// Offers each exact link that is still free.
    fn offer_exact(&self, state: &State<N>, parent: usize, offers: &mut Vec<Rank>) {
        let mut rank = (state.rank - (EXACT << MATCHED)) | (parent as u64) << PARENT;
        self.each_free(state, |hyp| {
            let number = self.numbers[hyp as usize] as u64;
            offers.push((rank + broken(state.open, hyp)) | number);
            // The original adds the distance to the parent, so that later children and the
            // parent itself carry it, and this child does not.
            rank += self.distance(hyp);
        });
    }

    /// Offers each other link that is still free, and to leave the word unmatched.
    fn offer_others(&self, state: &State<N>, parent: usize, offers: &mut Vec<Rank>) {
        let mut rank = state.rank | (parent as u64) << PARENT;
        self.each_free(state, |hyp| rank += self.distance(hyp));
        for (number, link) in (self.all - self.others.len()..).zip(self.others) {
            if !is_taken(&state.taken, link.hyp) {
                offers.push((rank + broken(state.open, link.hyp)) | number as u64);
                rank += self.distance(link.hyp);
            }
        }
        offers.push((rank + broken(state.open, NOWHERE)) | self.all as u64);
    }

    fn each_free(&self, state: &State<N>, mut found: impl FnMut(u32)) {
        for (word, (exact, taken)) in self.exact.iter().zip(&state.taken).enumerate() {
            let mut free = exact & !taken;
            while free != 0 {
                found(64 * word as u32 + free.trailing_zeros());
                free &= free - 1;
            }
        }
    }

    fn distance(&self, hyp: u32) -> Rank {
        (self.at.abs_diff(hyp) as u64) << DISTANCE
    }
}

/// Keeps only as many offers as the beam holds, of those from `start` on the best.
fn cut(offers: &mut Vec<Rank>, start: usize) {
    offers[start..].select_nth_unstable(BEAM - start - 1);
    offers.truncate(BEAM);
}

/// Cuts if there are twice as many offers as the beam holds; gives what offers must now beat.
fn cut_if_long(offers: &mut Vec<Rank>, start: usize, limit: Rank) -> Rank {
    if offers.len() < 2 * BEAM {
        return limit;
    }
    cut(offers, start);
    offers[BEAM - 1]
}

fn exact(candidates: &[Link]) -> usize {
    candidates.iter().take_while(|link| link.stage == 0).count()
}

fn level_of(rank: Rank) -> u64 {
    rank >> MATCHED
}

/// One chunk more, if one is open and does not go on here.
fn broken(open: u32, hyp: u32) -> Rank {
    ((open != NOWHERE && open != hyp) as u64) << CHUNKS
}

fn is_taken(taken: &[u64], at: u32) -> bool {
    taken[at as usize / 64] >> (at % 64) & 1 == 1
}

fn take(taken: &mut [u64], at: u32) {
    taken[at as usize / 64] |= 1 << (at % 64);
}

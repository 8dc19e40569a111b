//! METEOR 1.5's beam search over alignments, its peculiarities included.

use super::links::{Link, Links};
use super::word_search;
use crate::interrupt::spend;
use std::mem::take;

const BEAM: usize = 40;
/// How many ways to go on are kept before the worse ones go.
const MOST_OFFERS: usize = 8 * BEAM;
/// What cutting back to the beam takes, in units of `spend`.
const SORTING: usize = 1000;
const NOWHERE: u32 = u32::MAX;

/// The best alignment, by reference: most exact matches, then fewest chunks, then least distance.
pub fn best(links: &Links, chosen: &mut Vec<Link>) {
    chosen.clear();
    let longest = links.hyp_words().max(links.reference_words());
    if links.has_phrases() || longest > word_search::LONGEST {
        choose(links, chosen);
    } else {
        word_search::choose(links, chosen);
    }
    chosen.extend((0..links.reference_words()).filter_map(|at| links.certain(at)));
    chosen.sort_unstable_by_key(|link| link.reference);
}

/// A partial alignment, of the reference's words so far.
#[derive(Clone, Default)]
struct State {
    rank: Rank,
    /// Where in the output the open chunk would go on.
    open: u32,
    /// The last step of the way here.
    path: u32,
    hyp_taken: Vec<u64>,
    reference_taken: Vec<u64>,
}

/// What makes one state better than another, least is best.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    unmatched: u32,
    chunks: u32,
    distance: u32,
}

/// A way to go on: its rank, when it was found, and the state and the number of the link that it
/// comes of; `NOWHERE` is the state without a link.
type Offer = (Rank, u32, u32, u32);

/// A chosen link and the step before it.
type Step = (Link, u32);

/// Adds the links chosen where there is a choice, from the last to the first.
fn choose(links: &Links, chosen: &mut Vec<Link>) {
    let words = links.reference_words();
    let mut start = State {
        rank: Rank { unmatched: u32::MAX, chunks: 0, distance: 0 },
        open: NOWHERE,
        path: NOWHERE,
        hyp_taken: vec![0; links.hyp_words().div_ceil(64)],
        reference_taken: vec![0; words.div_ceil(64)],
    };
    (0..words).filter_map(|at| links.certain(at)).for_each(|link| start.take(&link));
    let mut states = vec![start];
    let mut steps: Vec<Step> = Vec::new();
    let mut offers: Vec<Offer> = Vec::new();
    for at in 0..words {
        let certain = links.certain(at);
        let candidates = links.at(at);
        spend(SORTING);
        offers.clear();
        let mut found = 0;
        let mut offer = |rank, parent, number| {
            offers.push((rank, found, parent, number));
            found += 1;
            if offers.len() == MOST_OFFERS {
                cut(&mut offers);
            }
        };
        for (parent, state) in (0..).zip(&mut states) {
            if let Some(link) = certain {
                state.link(&link);
                state.rank.distance += link.distance();
            } else if !is_set(&state.reference_taken, at as u32) {
                spend(4 * candidates.len());
                for (number, link) in (0..).zip(candidates) {
                    if state.allows(link) {
                        offer(state.rank_after(link), parent, number);
                        // The original adds the distance to the parent, so that later children
                        // and the parent itself carry it, and this child does not.
                        state.rank.distance += link.distance();
                    }
                }
                state.close();
            }
            offer(state.rank, parent, NOWHERE);
        }
        cut(&mut offers);
        // Only what the beam holds is copied, and what goes on without a link is not.
        let children: Vec<Option<State>> = offers
            .iter()
            .map(|(_, _, parent, number)| {
                let (parent, link) = (&states[*parent as usize], candidates.get(*number as usize)?);
                spend(parent.hyp_taken.len() + parent.reference_taken.len());
                let mut child = parent.clone();
                child.take(link);
                child.path = steps.len() as u32;
                child.open = link.hyp_end();
                steps.push((*link, parent.path));
                Some(child)
            })
            .collect();
        states = offers
            .iter()
            .zip(children)
            .map(|((rank, _, parent, _), child)| {
                let state = child.unwrap_or_else(|| take(&mut states[*parent as usize]));
                State { rank: *rank, ..state }
            })
            .collect();
    }
    states.iter_mut().for_each(State::close);
    let mut path = states.iter().min_by_key(|state| state.rank).map_or(NOWHERE, |best| best.path);
    while path != NOWHERE {
        let (link, before) = steps[path as usize];
        chosen.push(link);
        path = before;
    }
}

/// Keeps the offers that the beam holds, best first; of those as good as each other the earlier.
fn cut(offers: &mut Vec<Offer>) {
    if offers.len() > BEAM {
        offers.select_nth_unstable(BEAM);
        offers.truncate(BEAM);
    }
    offers.sort_unstable();
}

impl State {
    /// An exact link counts with all its words, any other with half of them, each side rounded
    /// down, so that a single stem or synonym adds nothing.
    fn rank_after(&self, link: &Link) -> Rank {
        let (hyp, reference) = (link.hyp_words, link.reference_words);
        let matched = if link.stage == 0 { hyp + reference } else { hyp / 2 + reference / 2 };
        let broken = self.open != NOWHERE && self.open != link.hyp;
        Rank {
            unmatched: self.rank.unmatched - matched,
            chunks: self.rank.chunks + broken as u32,
            distance: self.rank.distance,
        }
    }

    fn link(&mut self, link: &Link) {
        self.rank = self.rank_after(link);
        self.open = link.hyp_end();
    }

    fn close(&mut self) {
        self.rank.chunks += (self.open != NOWHERE) as u32;
        self.open = NOWHERE;
    }

    fn allows(&self, link: &Link) -> bool {
        (link.hyp..link.hyp_end()).all(|at| !is_set(&self.hyp_taken, at))
            && (link.reference..link.reference_end()).all(|at| !is_set(&self.reference_taken, at))
    }

    fn take(&mut self, link: &Link) {
        (link.hyp..link.hyp_end()).for_each(|at| set(&mut self.hyp_taken, at));
        (link.reference..link.reference_end()).for_each(|at| set(&mut self.reference_taken, at));
    }
}

fn is_set(words: &[u64], at: u32) -> bool {
    words[at as usize / 64] >> (at % 64) & 1 == 1
}

fn set(words: &mut [u64], at: u32) {
    words[at as usize / 64] |= 1 << (at % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words 0 to `kinds`: equal ones are linked exactly, those with the same half by stem, those
    /// with the same third by synonym.
    fn linked(hyp: &[u32], reference: &[u32]) -> Links {
        let mut links = Links::default();
        links.clear(hyp.len(), reference.len());
        for (stage, divisor) in [1, 2, 3].into_iter().enumerate() {
            for (at, sought) in reference.iter().enumerate() {
                for (place, word) in hyp.iter().enumerate() {
                    if word / divisor == sought / divisor && (stage == 0 || word != sought) {
                        links.push(Link::of_words(at, place, stage));
                    }
                }
            }
        }
        links
    }

    #[test]
    fn the_search_for_words_finds_what_the_original_finds() {
        let mut random = 12345_u64;
        let mut below = |limit: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % limit
        };
        for round in 0..400 {
            let longest = if round % 100 == 0 { 100 } else { 20 };
            let kinds = 2 + below(30);
            let mut words =
                || -> Vec<u32> { (0..below(longest)).map(|_| below(kinds) as u32).collect() };
            let (hyp, reference) = (words(), words());
            let links = linked(&hyp, &reference);
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            choose(&links, &mut expected);
            word_search::choose(&links, &mut found);
            assert_eq!(found, expected, "{hyp:?} {reference:?}");
        }
    }
}

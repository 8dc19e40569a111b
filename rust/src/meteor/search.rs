//! METEOR 1.5's beam search over alignments, its peculiarities included.

use super::links::{Link, Links};
use super::word_search;
use crate::interrupt::spend;

const BEAM: usize = 40;
/// How many ways to go on are kept before the worse ones go.
const MOST_OFFERS: usize = 2 * BEAM;
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
#[derive(Clone, Copy)]
struct State {
    rank: Rank,
    /// Where in the output the open chunk would go on.
    open: u32,
    /// The last step of the way here.
    path: u32,
}

/// Makes one state better than another, least is best: from high to low words not matched, chunks
/// and distance. An offer to go on also has the place of its state and the number of its link,
/// `UNLINKED` if there is none: of two that are as good, the first one made is better.
type Rank = u128;

const MATCHED: u32 = 104;
const CHUNKS: u32 = 80;
const DISTANCE: u32 = 32;
const PARENT: u32 = 24;
const START: Rank = 0xff_ffff << MATCHED;
const UNLINKED: usize = (1 << PARENT) - 1;

/// A chosen link and the step before it.
type Step = (Link, u32);

/// The states of the beam, and a bit for each word of output and reference that one has taken.
#[derive(Default)]
struct Beam {
    states: Vec<State>,
    taken: Vec<u64>,
}

/// Adds the links chosen where there is a choice, from the last to the first.
fn choose(links: &Links, chosen: &mut Vec<Link>) {
    let words = links.reference_words();
    let hyp_words = links.hyp_words().next_multiple_of(64);
    let width = (hyp_words + words).div_ceil(64);
    let take = |taken: &mut [u64], link: &Link| {
        let mut set = |at: usize| taken[at / 64] |= 1 << (at % 64);
        (link.hyp..link.hyp_end()).for_each(|at| set(at as usize));
        (link.reference..link.reference_end()).for_each(|at| set(hyp_words + at as usize));
    };
    let mut beam = Beam { states: vec![State::START], taken: vec![0; width] };
    (0..words).filter_map(|at| links.certain(at)).for_each(|link| take(&mut beam.taken, &link));
    let mut next = Beam::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut offers = Offers::default();
    for at in 0..words {
        let certain = links.certain(at);
        let candidates = links.at(at);
        // All states go on alike, and mostly in the same order.
        let is_settled = certain.is_some() || candidates.is_empty();
        spend(SORTING);
        offers.clear();
        let most = candidates.iter().map(matched_words).max().unwrap_or(0);
        let states = beam.states.iter_mut().zip(beam.taken.chunks_exact(width));
        for (parent, (state, taken)) in (0..).zip(states) {
            // States are in order: no later one makes an offer that is good enough.
            if !is_settled && offers.are_better_than(state.rank - most) {
                break;
            }
            let is_free = |at: usize| taken[at / 64] >> (at % 64) & 1 == 0;
            let is_open = |link: &Link| {
                (link.hyp..link.hyp_end()).all(|at| is_free(at as usize))
                    && (link.reference + 1..link.reference_end())
                        .all(|at| is_free(hyp_words + at as usize))
            };
            if let Some(link) = certain {
                state.rank = state.rank_after(&link) + link_distance(&link);
                state.open = link.hyp_end();
            } else if is_free(hyp_words + at) {
                spend(4 * candidates.len());
                for (number, link) in (0..).zip(candidates) {
                    if is_open(link) {
                        offers.add(state.rank_after(link) | parent << PARENT | number);
                        // The original adds the distance to the parent, so that later children
                        // and the parent itself carry it, and this child does not.
                        state.rank += link_distance(link);
                    }
                }
                state.close();
            }
            if !is_settled {
                offers.add(state.rank | parent << PARENT | UNLINKED as Rank);
            }
        }
        if is_settled {
            if beam.states.is_sorted_by_key(|state| state.rank) {
                continue;
            }
            for (parent, state) in (0..).zip(&beam.states) {
                offers.add(state.rank | parent << PARENT | UNLINKED as Rank);
            }
        }
        offers.cut();
        next.states.clear();
        next.taken.clear();
        spend(width * offers.kept.len());
        for rank in &offers.kept {
            let (parent, number) = ((rank >> PARENT) as usize & 0xff, *rank as usize & UNLINKED);
            let mut state = State { rank: rank >> DISTANCE << DISTANCE, ..beam.states[parent] };
            let start = next.taken.len();
            next.taken.extend_from_slice(&beam.taken[parent * width..][..width]);
            if let Some(link) = candidates.get(number) {
                take(&mut next.taken[start..], link);
                steps.push((*link, state.path));
                state.path = steps.len() as u32 - 1;
                state.open = link.hyp_end();
            }
            next.states.push(state);
        }
        std::mem::swap(&mut beam, &mut next);
    }
    beam.states.iter_mut().for_each(State::close);
    let best = beam.states.iter().min_by_key(|state| state.rank);
    let mut path = best.map_or(NOWHERE, |best| best.path);
    while path != NOWHERE {
        let (link, before) = steps[path as usize];
        chosen.push(link);
        path = before;
    }
}

/// The offers that the beam may hold.
#[derive(Default)]
struct Offers {
    kept: Vec<Rank>,
    /// What an offer must be better than.
    limit: Rank,
}

impl Offers {
    fn clear(&mut self) {
        self.kept.clear();
        self.limit = Rank::MAX;
    }

    #[inline(always)]
    fn add(&mut self, rank: Rank) {
        if self.are_better_than(rank) {
            return;
        }
        self.kept.push(rank);
        if self.kept.len() == MOST_OFFERS {
            self.cut();
            self.limit = self.kept[BEAM - 1];
        }
    }

    fn are_better_than(&self, rank: Rank) -> bool {
        rank >= self.limit
    }

    /// Keeps what the beam holds, best first; of those as good as each other the earlier.
    fn cut(&mut self) {
        if self.kept.len() > BEAM {
            self.kept.select_nth_unstable(BEAM);
            self.kept.truncate(BEAM);
        }
        self.kept.sort_unstable();
    }
}

impl State {
    const START: State = State { rank: START, open: NOWHERE, path: NOWHERE };

    fn rank_after(&self, link: &Link) -> Rank {
        let broken = self.open != NOWHERE && self.open != link.hyp;
        self.rank - matched_words(link) + ((broken as Rank) << CHUNKS)
    }

    fn close(&mut self) {
        self.rank += ((self.open != NOWHERE) as Rank) << CHUNKS;
        self.open = NOWHERE;
    }
}

/// An exact link counts with all its words, any other with half of them, each side rounded
/// down, so that a single stem or synonym adds nothing.
fn matched_words(link: &Link) -> Rank {
    let (hyp, reference) = (link.hyp_words, link.reference_words);
    let words = if link.stage == 0 { hyp + reference } else { hyp / 2 + reference / 2 };
    (words as Rank) << MATCHED
}

fn link_distance(link: &Link) -> Rank {
    (link.distance() as Rank) << DISTANCE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;

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
        let mut random = Random(12345);
        let mut below = |limit: u32| random.below(limit);
        for round in 0..400 {
            let longest = if round % 100 == 0 { 100 } else { 20 };
            let kinds = 2 + below(30);
            let mut words = || -> Vec<u32> { (0..below(longest)).map(|_| below(kinds)).collect() };
            let (hyp, reference) = (words(), words());
            let links = linked(&hyp, &reference);
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            choose(&links, &mut expected);
            word_search::choose(&links, &mut found);
            assert_eq!(found, expected, "{hyp:?} {reference:?}");
        }
    }
}

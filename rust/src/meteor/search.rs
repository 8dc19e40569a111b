//! METEOR 1.5's beam search over alignments, its peculiarities included.

use super::links::{Link, Links};
use std::cell::RefCell;

const BEAM: usize = 40;
const NOWHERE: u32 = u32::MAX;

/// The best alignment: most exact matches, then fewest chunks, then least distance.
pub fn best(links: &Links) -> Vec<Link> {
    if links.has_phrases() || links.hyp_words() > 64 || links.reference_words() > 128 {
        walk::<Vec<Vec<u64>>>(links)
    } else {
        walk::<u64>(links)
    }
}

/// A partial alignment, of the reference's words so far.
#[derive(Clone)]
struct State<M: Marks> {
    rank: M::Rank,
    /// Where in the output the open chunk would go on.
    open: u32,
    /// The last step of the way here.
    path: u32,
    marks: M,
}

/// What makes one state better than another, in one number, least is best: matched words, then
/// chunks, then distance, then the place in the queue.
trait Rank: Ord + Copy {
    const START: Self;
    fn better_by(self, matched: u32) -> Self;
    fn worse_by(self, chunks: u32) -> Self;
    fn farther_by(self, distance: u32) -> Self;
    fn in_place(self, place: usize) -> Self;
    fn place(self) -> usize;
    fn without_place(self) -> Self;
}

/// For sentences of up to 128 words, whose numbers are small.
impl Rank for u64 {
    const START: u64 = 0xfff << 52;

    fn better_by(self, matched: u32) -> u64 {
        self - ((matched as u64) << 52)
    }

    fn worse_by(self, chunks: u32) -> u64 {
        self + ((chunks as u64) << 40)
    }

    fn farther_by(self, distance: u32) -> u64 {
        self + ((distance as u64) << 16)
    }

    fn in_place(self, place: usize) -> u64 {
        self | place as u64
    }

    fn place(self) -> usize {
        (self & 0xffff) as usize
    }

    fn without_place(self) -> u64 {
        self & !0xffff
    }
}

impl Rank for u128 {
    const START: u128 = (u32::MAX as u128) << 96;

    fn better_by(self, matched: u32) -> u128 {
        self - ((matched as u128) << 96)
    }

    fn worse_by(self, chunks: u32) -> u128 {
        self + ((chunks as u128) << 64)
    }

    fn farther_by(self, distance: u32) -> u128 {
        self + ((distance as u128) << 32)
    }

    fn in_place(self, place: usize) -> u128 {
        self | place as u128
    }

    fn place(self) -> usize {
        self as u32 as usize
    }

    fn without_place(self) -> u128 {
        self & !(u32::MAX as u128)
    }
}

/// Where a state in the making comes from: the one that it goes on from, and the link it adds,
/// if any.
#[derive(Clone, Copy)]
struct Offer {
    parent: u32,
    link: u32,
}

/// Chosen links, but for the certain ones, as a tree of shared ways: each step knows the one
/// before it.
type Step = (Link, u32);

thread_local! {
    static STEPS: RefCell<Vec<Step>> = RefCell::default();
}

fn walk<M: Marks>(links: &Links) -> Vec<Link> {
    STEPS.with_borrow_mut(|steps| {
        steps.clear();
        let path = search::<M>(links, steps);
        let before = |path: &u32| match steps[*path as usize].1 {
            NOWHERE => None,
            step => Some(step),
        };
        let way = std::iter::successors((path != NOWHERE).then_some(path), before);
        let mut chosen: Vec<Link> = way.map(|step| steps[step as usize].0).collect();
        chosen.extend((0..links.reference_words()).filter_map(|at| links.certain(at)));
        chosen.sort_unstable_by_key(|link| link.reference);
        chosen
    })
}

/// Gives the last step of the best alignment.
fn search<M: Marks>(links: &Links, steps: &mut Vec<Step>) -> u32 {
    let (hyp_words, reference_words) = (links.hyp_words(), links.reference_words());
    let mut marks = M::none(hyp_words, reference_words);
    for link in (0..reference_words).filter_map(|at| links.certain(at)) {
        marks.mark(&link);
    }
    let start = State { rank: M::Rank::START, open: NOWHERE, path: NOWHERE, marks };
    let mut states = Vec::with_capacity(BEAM);
    states.push(start);
    let mut following: Vec<State<M>> = Vec::with_capacity(BEAM);
    let mut offers: Vec<Offer> = Vec::with_capacity(4 * BEAM);
    let mut ranks: Vec<M::Rank> = Vec::with_capacity(4 * BEAM);
    let mut in_step = true;
    for at in 0..reference_words {
        let candidates = links.at(at);
        let certain = links.certain(at);
        if candidates.is_empty() || certain.is_some() {
            let alike = certain.is_some() || states.iter().all(|s| !s.marks.reference(at));
            states.iter_mut().for_each(|state| step_without_choice(state, at, certain));
            // States that went on from the same place in the same way keep their order.
            if !(alike && in_step) {
                sort(&mut states, &mut following, &mut ranks);
            }
            in_step = alike;
            continue;
        }
        in_step = false;
        offers.clear();
        ranks.clear();
        for (parent, state) in states.iter_mut().enumerate() {
            let parent = parent as u32;
            let mut rank = state.rank;
            if !state.marks.reference(at) {
                for (number, link) in candidates.iter().enumerate() {
                    if state.marks.allow(link) {
                        ranks.push(extended(rank, state.open, link).in_place(offers.len()));
                        offers.push(Offer { parent, link: number as u32 });
                        // The original adds the distance to the parent, so that later children
                        // and the parent itself carry it, and this child does not.
                        rank = rank.farther_by(link.distance());
                    }
                }
                rank = rank.worse_by((state.open != NOWHERE) as u32);
            }
            ranks.push(rank.in_place(offers.len()));
            offers.push(Offer { parent, link: NOWHERE });
        }
        if ranks.len() > BEAM {
            ranks.select_nth_unstable(BEAM);
            ranks.truncate(BEAM);
        }
        ranks.sort_unstable();
        following.clear();
        for rank in &ranks {
            let offer = offers[rank.place()];
            let mut state = states[offer.parent as usize].clone();
            state.rank = rank.without_place();
            match candidates.get(offer.link as usize) {
                Some(link) => {
                    state.marks.mark(link);
                    state.open = link.hyp_end();
                    steps.push((*link, state.path));
                    state.path = steps.len() as u32 - 1;
                }
                None if state.marks.reference(at) => {}
                None => state.open = NOWHERE,
            }
            following.push(state);
        }
        std::mem::swap(&mut states, &mut following);
    }
    states.iter_mut().for_each(close);
    states.iter().min_by_key(|state| state.rank).map_or(NOWHERE, |state| state.path)
}

/// A word that has no candidate, or one that is certain, or that a phrase has covered.
fn step_without_choice<M: Marks>(state: &mut State<M>, at: usize, certain: Option<Link>) {
    match certain {
        Some(link) => {
            state.rank = extended(state.rank, state.open, &link).farther_by(link.distance());
            state.open = link.hyp_end();
        }
        None if state.marks.reference(at) => {}
        None => close(state),
    }
}

/// Best first; states as good as each other keep their order.
fn sort<M: Marks>(
    states: &mut Vec<State<M>>,
    sorted: &mut Vec<State<M>>,
    ranks: &mut Vec<M::Rank>,
) {
    if states.is_sorted_by_key(|state| state.rank) {
        return;
    }
    ranks.clear();
    ranks.extend(states.iter().enumerate().map(|(place, state)| state.rank.in_place(place)));
    ranks.sort_unstable();
    sorted.clear();
    sorted.extend(ranks.iter().map(|rank| states[rank.place()].clone()));
    std::mem::swap(states, sorted);
}

/// An exact link counts with all its words, any other with half of them, each side rounded down,
/// so that a single stem or synonym adds nothing.
fn extended<R: Rank>(rank: R, open: u32, link: &Link) -> R {
    let (hyp, reference) = (link.hyp_words, link.reference_words);
    let matched = if link.stage == 0 { hyp + reference } else { hyp / 2 + reference / 2 };
    rank.better_by(matched).worse_by((open != NOWHERE && open != link.hyp) as u32)
}

fn close<M: Marks>(state: &mut State<M>) {
    state.rank = state.rank.worse_by((state.open != NOWHERE) as u32);
    state.open = NOWHERE;
}

/// Which words are taken.
trait Marks: Clone {
    type Rank: Rank;

    fn none(hyp_words: usize, reference_words: usize) -> Self;
    fn reference(&self, at: usize) -> bool;
    fn allow(&self, link: &Link) -> bool;
    fn mark(&mut self, link: &Link);
}

/// Short outputs linked word by word: a reference word is then never taken before its turn, unless
/// by a certain link, which leaves no choice.
impl Marks for u64 {
    type Rank = u64;

    fn none(_: usize, _: usize) -> u64 {
        0
    }

    fn reference(&self, _: usize) -> bool {
        false
    }

    fn allow(&self, link: &Link) -> bool {
        self >> link.hyp & 1 == 0
    }

    fn mark(&mut self, link: &Link) {
        *self |= 1 << link.hyp;
    }
}

/// Outputs of any length, phrases of any length: a bit for each word of either side.
impl Marks for Vec<Vec<u64>> {
    type Rank = u128;

    fn none(hyp_words: usize, reference_words: usize) -> Self {
        vec![vec![0; hyp_words.div_ceil(64)], vec![0; reference_words.div_ceil(64)]]
    }

    fn reference(&self, at: usize) -> bool {
        is_set(&self[1], at as u32)
    }

    fn allow(&self, link: &Link) -> bool {
        (link.hyp..link.hyp_end()).all(|at| !is_set(&self[0], at))
            && (link.reference..link.reference_end()).all(|at| !is_set(&self[1], at))
    }

    fn mark(&mut self, link: &Link) {
        (link.hyp..link.hyp_end()).for_each(|at| set(&mut self[0], at));
        (link.reference..link.reference_end()).for_each(|at| set(&mut self[1], at));
    }
}

fn is_set(words: &[u64], at: u32) -> bool {
    words[at as usize / 64] >> (at % 64) & 1 == 1
}

fn set(words: &mut [u64], at: u32) {
    words[at as usize / 64] |= 1 << (at % 64);
}

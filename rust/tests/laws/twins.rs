//! Kernels against plain versions of themselves.

use super::inputs::{Input, Source, column, text, tokens, word};
use super::kernels::{self, BLEU};
use _core::chrf::{Chrf, Mean};
use _core::edit::{Edit, Preference};
use _core::error_rates::{self, Choice, Length};
use _core::gtm::{self, Formula, Matching};
use _core::hits::{Hits, NONE};
use _core::information::Information;
use _core::lines::LineBuffer;
use _core::ngram::{self, RefLength};
use _core::salience::Counts;
use _core::ter::{self, Style};
use _core::text::Text;
use _core::ties::{self, Cuts, Group};
use _core::tokenize::Case;
use _core::types::TypeMap;
use _core::unigram;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

fn count<T: Hash + Eq>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}

fn windows<T: Hash + Eq>(items: &[T], n: usize) -> HashMap<&[T], usize> {
    count(items.windows(n))
}

/// How many n-grams of the output are matched, each as often as in the reference with the most.
fn clipped<T: Hash + Eq>(output: &[T], references: &[&[T]], n: usize) -> usize {
    let known: Vec<_> = references.iter().map(|words| windows(words, n)).collect();
    let most = |gram: &[T]| known.iter().filter_map(|counts| counts.get(gram)).max().copied();
    windows(output, n).into_iter().map(|(gram, count)| count.min(most(gram).unwrap_or(0))).sum()
}

/// Lines come out as they went in, wherever the bytes were cut.
pub fn lines(source: &mut Source<'_>) {
    let text = source.text();
    let mut buffer = LineBuffer::default();
    let mut found = Vec::new();
    let mut bytes = text.as_bytes();
    while !bytes.is_empty() {
        let (now, later) = bytes.split_at(1 + source.below(bytes.len()));
        buffer.push(now);
        bytes = later;
        if source.below(2) == 0 {
            let popped = buffer.pop(source.below(4)).expect("UTF-8");
            found.extend(popped.iter().map(|line| line.unwrap().to_string()));
        }
    }
    buffer.finish();
    let rest = buffer.pop(buffer.ready()).expect("UTF-8");
    found.extend(rest.iter().map(|line| line.unwrap().to_string()));
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut expected: Vec<&str> = text.split('\n').collect();
    if expected.last() == Some(&"") {
        expected.pop();
    }
    let expected: Vec<&str> =
        expected.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    assert_eq!(found, expected);
}

/// Equal words, and they alone, share an id.
pub fn hits(source: &mut Source<'_>) {
    let input = Input::new(source);
    let hits = input.hits();
    for (at, (output, references)) in input.segments.iter().enumerate() {
        let pair = hits.get(at);
        let ids: Vec<&[u32]> = pair.references().collect();
        let mut names: HashMap<u32, u32> = HashMap::new();
        for (ids, words) in ids.iter().zip(references) {
            assert_eq!(ids.len(), words.len());
            for (id, word) in ids.iter().zip(words) {
                assert_eq!(names.entry(*word).or_insert(*id), id);
            }
        }
        assert_eq!(names.values().collect::<HashSet<_>>().len(), names.len());
        assert_eq!(pair.types, names.len());
        let expected: Vec<u32> =
            output.iter().map(|word| names.get(word).copied().unwrap_or(NONE)).collect();
        assert_eq!(pair.output, expected);
    }
}

pub fn ngrams(source: &mut Source<'_>) {
    let (input, order) = (Input::new(source), 1 + source.below(10));
    let hits = input.hits();
    let mut rows = vec![0.0; hits.len() * ngram::columns(order)];
    ngram::rows(&hits, order, RefLength::Shortest, &mut rows);
    for (row, (output, references)) in rows.chunks(ngram::columns(order)).zip(&input.segments) {
        let references: Vec<&[u32]> = references.iter().map(Vec::as_slice).collect();
        for n in 1..=order {
            assert_eq!(row[n - 1], clipped(output, &references, n) as f64, "{n} {output:?}");
            assert_eq!(row[order + n - 1], output.len().saturating_sub(n - 1) as f64);
        }
        let shortest = references.iter().map(|words| words.len()).min().unwrap();
        assert_eq!(row[2 * order..], [output.len() as f64, shortest as f64]);
    }
}

/// The row of the first reference with the best score.
pub fn chrf(source: &mut Source<'_>) {
    let order = 1 + source.below(10);
    let chrf = Chrf::new(order, 0, 2.0, Mean::Effective, false, Case::Mixed);
    let (output, count) = (source.text(), 1 + source.below(3));
    let references: Vec<String> = (0..count)
        .map(|_| if source.below(2) == 0 { source.text() } else { output.replace('a', "b") })
        .collect();
    let columns = |text: &str| {
        let mut column = Text::default();
        column.push(text);
        column
    };
    let texts: Vec<Text> = references.iter().map(|text| columns(text)).collect();
    let mut row = vec![0.0; chrf.columns()];
    chrf.rows(&columns(&output), &texts.iter().collect::<Vec<_>>(), None, &mut row);
    let white = _core::tokenize::white_space();
    let dense = |text: &str| text.chars().filter(|c| !white.contains(c)).collect::<Vec<_>>();
    let output = dense(&output);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for reference in references {
        let reference = dense(&reference);
        let mut expected = Vec::new();
        for n in 1..=order {
            let grams = |text: &[char]| text.len().saturating_sub(n - 1) as f64;
            let matched = clipped(&output, &[&reference], n) as f64;
            let there = grams(&reference) > 0.0;
            let candidates = if there { grams(&output) } else { 0.0 };
            expected.extend([candidates, grams(&reference), matched]);
        }
        let score = chrf.score(&expected);
        if best.as_ref().is_none_or(|known| score > known.0) {
            best = Some((score, expected));
        }
    }
    assert_eq!(row, best.unwrap().1);
}

/// The scores of all pairs are those of each pair.
pub fn pairs(source: &mut Source<'_>) {
    let texts: Vec<Vec<u32>> = (0..2 + source.below(6)).map(|_| source.words(30, 5)).collect();
    let all: Vec<usize> = (0..texts.len()).collect();
    let chrf = Chrf::new(6, 0, 2.0, Mean::Effective, false, Case::Mixed);
    let mut column_of_text = Text::default();
    texts.iter().for_each(|words| column_of_text.push(&text(words)));
    let mut scores = vec![0.0; texts.len() * texts.len()];
    let mut letters = scores.clone();
    BLEU.pairs(&column(texts.iter()), &all, &all, &mut scores);
    chrf.pairs(&column_of_text, None, &all, &all, &mut letters);
    for (output, words) in texts.iter().enumerate() {
        for (reference, others) in texts.iter().enumerate() {
            let at = output * texts.len() + reference;
            let mut row = vec![0.0; ngram::columns(4)];
            let hits = Hits::new(&tokens(words), &[&tokens(others)]);
            ngram::rows(&hits, 4, RefLength::Closest, &mut row);
            assert_eq!(scores[at], BLEU.score(&row));
            assert_eq!(letters[at], chrf.sentence(&text(words), &[&text(others)], None));
        }
    }
}

/// The edit distance, cell by cell.
fn distance(output: &[u32], reference: &[u32]) -> usize {
    let mut row: Vec<usize> = (0..=reference.len()).collect();
    for (i, word) in output.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in reference.iter().enumerate() {
            let here = (diagonal + (word != other) as usize).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], here);
        }
    }
    row[reference.len()]
}

/// An alignment has as few edits as there can be, and all words in order; counts are its counts.
pub fn edits(source: &mut Source<'_>) {
    let input = Input::new(source);
    let hits = input.hits();
    let mut counted = vec![0.0; 5 * hits.len()];
    error_rates::ordered_rows(&hits, Choice::Fewest, Length::Chosen, &mut counted);
    for (at, (output, references)) in input.segments.iter().enumerate() {
        let fewest = references.iter().map(|reference| distance(output, reference)).min();
        let row = &counted[5 * at..][..5];
        assert_eq!((row[0] + row[1] + row[2]) as usize, fewest.unwrap());
        for prefers in [Preference::Pairs, Preference::Deletions] {
            let pair = hits.get(at);
            let (chosen, all) = error_rates::alignments(&pair, Choice::Fewest, prefers);
            for (steps, reference) in all.iter().zip(references) {
                check_steps(steps, output, reference);
            }
            let edits = |steps: &[Edit]| steps.iter().filter(|step| **step != Edit::Hit).count();
            assert_eq!(Some(edits(&all[chosen])), fewest);
            if prefers == Preference::Pairs {
                let hits = all[chosen].iter().filter(|step| **step == Edit::Hit).count();
                assert_eq!(row[3] as usize, hits);
            }
        }
    }
}

fn check_steps(steps: &[Edit], output: &[u32], reference: &[u32]) {
    let (mut i, mut j, mut edits) = (0, 0, 0);
    for step in steps {
        if matches!(step, Edit::Hit | Edit::Substitution) {
            assert_eq!(output[i] == reference[j], *step == Edit::Hit);
        }
        i += (*step != Edit::Deletion) as usize;
        j += (*step != Edit::Insertion) as usize;
        edits += (*step != Edit::Hit) as usize;
    }
    assert_eq!((i, j), (output.len(), reference.len()));
    assert_eq!(edits, distance(output, reference));
}

fn common(output: &[u32], reference: &[u32]) -> usize {
    let known = count(reference.iter());
    let found = count(output.iter());
    found.iter().map(|(word, n)| (*n).min(known.get(word).copied().unwrap_or(0))).sum()
}

pub fn unordered(source: &mut Source<'_>) {
    let input = Input::new(source);
    let hits = input.hits();
    let (mut any_order, mut words) = (vec![0.0; 5 * hits.len()], vec![0.0; 3 * hits.len()]);
    let mut unequal = vec![0.0; 2 * hits.len()];
    error_rates::unordered_rows(&hits, Choice::Fewest, Length::Mean, &mut any_order);
    unigram::rows(&hits, 1.0, &mut words);
    error_rates::unequal_rows(&hits, &mut unequal);
    for (at, (output, references)) in input.segments.iter().enumerate() {
        let edits = |other: &Vec<u32>| output.len().max(other.len()) - common(output, other);
        let found: f64 = any_order[5 * at..][..3].iter().sum();
        assert_eq!(found as usize, references.iter().map(edits).min().unwrap());
        let words_in_all: usize = references.iter().map(Vec::len).sum();
        assert_eq!(any_order[5 * at + 4], words_in_all as f64 / references.len() as f64);
        // Recall alone decides which reference it is.
        let recall = |other: &Vec<u32>| common(output, other) as f64 / other.len().max(1) as f64;
        let best = references.iter().map(recall).fold(0.0, f64::max);
        let [matched, length, other] = words[3 * at..][..3] else { unreachable!() };
        assert_eq!(length, output.len() as f64);
        assert!((matched / other.max(1.0) - best).abs() < 1e-12);
        assert_eq!(unequal[2 * at] == 0.0, references.contains(output));
    }
}

/// The greedy matching by trying every run again and again; the exact one is no smaller.
pub fn gtm(source: &mut Source<'_>) {
    let types = 1 + source.below(6);
    let (output, reference) = (source.words(20, types), source.words(20, types));
    let hits = Hits::new(&tokens(&output), &[&tokens(&reference)]);
    let size = |matching| {
        let formula = Formula { exponent: 2.0, matching };
        let mut row = vec![0.0; formula.columns()];
        gtm::rows(&hits, formula, &mut row);
        row[0]
    };
    let (mut used_rows, mut used_columns) =
        (vec![false; output.len()], vec![false; reference.len()]);
    let mut sum = 0.0;
    loop {
        let mut best = (0, 0, 0);
        for row in 0..output.len() {
            for column in 0..reference.len() {
                let free = |n: usize| !used_rows[row + n] && !used_columns[column + n];
                let steps = (output.len() - row).min(reference.len() - column);
                let run = (0..steps)
                    .take_while(|n| output[row + n] == reference[column + n] && free(*n))
                    .count();
                best = best.max((run, row, column));
            }
        }
        let (length, row, column) = best;
        if length == 0 {
            break;
        }
        sum += (length * length) as f64;
        used_rows[row..row + length].fill(true);
        used_columns[column..column + length].fill(true);
    }
    let greedy = size(Matching::Greedy);
    assert_eq!(greedy, sum.sqrt(), "{output:?} {reference:?}");
    let exact = size(Matching::Exact { nodes: 50 });
    assert!(exact >= greedy * (1.0 - 1e-15), "{output:?} {reference:?}");
    let whole = (output.len().min(reference.len()) * common(&output, &reference)) as f64;
    assert!(exact <= whole.sqrt() + 1e-9, "{output:?} {reference:?}");
}

/// Words in excess or missing stay edits wherever words are moved to, and no word takes two.
pub fn ter(source: &mut Source<'_>) {
    let input = Input::new(source);
    let hits = input.hits();
    for style in [Style::Sacrebleu, Style::Tercom] {
        let mut rows = vec![0.0; hits.len() * ter::COLUMNS];
        ter::rows(&hits, style, &mut rows);
        for (row, (output, references)) in rows.chunks(ter::COLUMNS).zip(&input.segments) {
            let edits = row[..4].iter().sum::<f64>() as usize;
            let least = |other: &Vec<u32>| output.len().max(other.len()) - common(output, other);
            let most = |other: &Vec<u32>| output.len() + other.len();
            assert!(edits >= references.iter().map(least).min().unwrap());
            assert!(edits <= references.iter().map(most).min().unwrap());
            // What is inserted and deleted makes the output as long as one of the references.
            let length = output.len() as f64 - row[0] + row[1];
            assert!(references.iter().any(|other| other.len() as f64 == length));
        }
    }
}

/// Links join equal words, or words with equal stems, one to one; a copy is linked whole.
pub fn meteor(source: &mut Source<'_>) {
    let input = Input::new(source);
    let aligner = kernels::meteor("");
    let references = input.references();
    let references: Vec<_> = references.iter().collect();
    for (at, (output, words)) in input.segments.iter().enumerate() {
        let (best, all) = aligner.alignments(&input.output(), &references, at);
        assert!(best < words.len());
        for (links, reference) in all.iter().zip(words) {
            let mut taken = HashSet::new();
            for link in links {
                assert!(taken.insert((true, link.hyp)) && taken.insert((false, link.reference)));
                let (one, other) = (output[link.hyp as usize], reference[link.reference as usize]);
                assert!(link.stage > 0 || word(one) == word(other));
            }
            if output == reference {
                assert_eq!(links.len(), output.len());
            }
            assert!(
                links.iter().filter(|link| link.stage == 0).count() <= common(output, reference)
            );
        }
    }
}

/// Counts add up, from parts and from terms, to those of a plain table.
pub fn nist(source: &mut Source<'_>) {
    let (input, order) = (Input::new(source), 2 + source.below(4));
    let mut whole = Information::counted(order, false);
    let mut added = Information::counted(order, false);
    for column in input.references() {
        whole.add(&column);
        let mut part = Information::counted(order, false);
        part.add(&column);
        assert!(added.learn(&part.terms(), None));
    }
    let table = |information: &Information| -> BTreeMap<Vec<Vec<u8>>, u64> {
        let terms = information.terms();
        let found = terms.iter().map(|(words, n)| (words.map(<[u8]>::to_vec).collect(), n));
        found.collect()
    };
    let mut expected: BTreeMap<Vec<Vec<u8>>, u64> = BTreeMap::new();
    for words in input.segments.iter().flat_map(|segment| &segment.1) {
        for n in 1..=order {
            for gram in words.windows(n) {
                let gram = gram.iter().map(|id| word(*id).into_bytes()).collect();
                *expected.entry(gram).or_default() += 1;
            }
        }
    }
    assert_eq!(table(&whole), expected);
    assert_eq!(table(&added), expected);
}

pub fn salience(source: &mut Source<'_>) {
    let input = Input::new(source);
    let mut counts = Counts::default();
    let mut expected: BTreeMap<(u32, String), u32> = BTreeMap::new();
    for (at, column) in input.references().iter().enumerate() {
        let names = ["one", "two"];
        let documents = [0, 1].map(|segment| counts.document(names[(at + segment) % 2]));
        counts.add(column, &documents);
        for (segment, (_, references)) in input.segments.iter().enumerate() {
            for id in &references[at] {
                *expected.entry((documents[segment], word(*id))).or_default() += 1;
            }
        }
    }
    let found = counts.frequencies();
    let entries = found.column(|entry| entry.tf);
    let places = found.column(|entry| entry.document as f64);
    let words = found.words();
    let mut table = BTreeMap::new();
    for (at, tf) in entries.iter().enumerate() {
        let name = String::from_utf8(counts.words().word(words[at]).to_vec()).unwrap();
        table.insert((places[at] as u32, name), *tf as u32);
    }
    assert_eq!(table, expected);
}

pub fn ties(source: &mut Source<'_>) {
    let mut values: Vec<(usize, u32)> =
        (0..source.below(40)).map(|_| (source.below(12), source.below(5) as u32)).collect();
    values.sort_unstable();
    let gold: Vec<u32> = values.iter().map(|value| value.1).collect();
    let metric: Vec<f64> = values.iter().map(|value| value.0 as f64 / 3.0).collect();
    let group = Group { gold: &gold, metric: &metric };
    let mut edges: Vec<f64> = (0..source.below(5)).map(|_| source.below(5) as f64).collect();
    edges.sort_by(f64::total_cmp);
    let mut at: Vec<u64> = edges.iter().map(|edge| edge.to_bits()).collect();
    at.push(1 << 63);
    let wanted: Vec<bool> = (1..at.len()).map(|_| source.below(3) > 0).collect();
    let cuts = Cuts { at: &at, wanted: &wanted };
    let found = ties::counts(&group, 0, gold.len(), &cuts);
    let middle = source.below(gold.len() + 1);
    let parts = [(0, middle), (middle, gold.len())];
    let parts = parts.map(|(start, stop)| ties::counts(&group, start, stop, &cuts));
    let keys = ties::inside(&group, 0, gold.len(), &cuts);
    let mut kept = 0;
    for (interval, wanted) in wanted.iter().enumerate() {
        let (mut tied, mut ordered) = (0, 0);
        for lower in 0..gold.len() {
            for upper in lower + 1..gold.len() {
                let bits = (metric[upper] - metric[lower]).to_bits();
                if *wanted && (at[interval]..at[interval + 1]).contains(&bits) {
                    tied += (gold[upper] == gold[lower]) as i64;
                    ordered += (gold[upper] > gold[lower]) as i64;
                }
            }
        }
        assert_eq!((found.tied[interval], found.ordered[interval]), (tied, ordered));
        assert_eq!(parts.iter().map(|part| part.tied[interval]).sum::<i64>(), tied);
        assert_eq!(parts.iter().map(|part| part.ordered[interval]).sum::<i64>(), ordered);
        kept += tied + ordered;
    }
    assert_eq!(keys.len() as i64, kept);
}

/// Every word becomes what was learnt for it.
pub fn types(source: &mut Source<'_>) {
    let input = Input::new(source);
    let mut map = TypeMap::default();
    let output = input.output();
    let unknown: Vec<Vec<u8>> = map.unknown(&output).into_iter().map(<[u8]>::to_vec).collect();
    assert_eq!(unknown.iter().collect::<HashSet<_>>().len(), unknown.len());
    for word in &unknown {
        map.learn(word, &word[word.len() / 2..]);
    }
    assert!(map.unknown(&output).is_empty());
    let mapped = map.apply(&output);
    for (at, (words, _)) in input.segments.iter().enumerate() {
        let found: Vec<&[u8]> = mapped.get(at).unwrap().iter().collect();
        let expected: Vec<String> = words.iter().map(|id| word(*id)).collect();
        let expected: Vec<&[u8]> =
            expected.iter().map(|word| &word.as_bytes()[word.len() / 2..]).collect();
        assert_eq!(found, expected);
    }
}

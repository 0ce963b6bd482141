//! Environmental selection of DynaMOSA (Panichella, Kifetew, Tonella 2018): preference criterion,
//! non-dominated fronts, and crowding by sub-vector dominance. Flows in: fitness vectors; flows
//! out: an order. Must not know what the vectors measure.

/// Orders the best individuals first and gives at least `wanted` of them (all, when there are
/// fewer; more, when more are each the best at something). `length` breaks ties: shorter is better.
/// Fitness is minimised; all vectors have the same number of objectives.
pub(crate) fn select(fitness: &[&[f64]], length: &[u32], wanted: usize) -> Vec<usize> {
    let mut order = preferred(fitness, length);
    let mut chosen = vec![false; fitness.len()];
    for &index in &order {
        chosen[index] = true;
    }
    // Individuals that are alike in every objective crowd each other out: the shortest comes first,
    // the others last.
    let mut rest: Vec<usize> = (0..fitness.len()).filter(|index| !chosen[*index]).collect();
    rest.sort_by(|&left, &right| {
        compare(fitness[left], fitness[right]).then(length[left].cmp(&length[right])).then(left.cmp(&right))
    });
    let mut alike = Vec::new();
    rest.dedup_by(|later, earlier| {
        let same = fitness[*later] == fitness[*earlier];
        if same {
            alike.push(*later);
        }
        same
    });
    while order.len() < wanted && !rest.is_empty() {
        let (mut front, behind): (Vec<usize>, Vec<usize>) = rest
            .iter()
            .partition(|&&index| !rest.iter().any(|&other| other != index && dominates(fitness[other], fitness[index])));
        if front.len() > 1 {
            let crowding: Vec<usize> = front.iter().map(|&index| sub_vector_dominance(fitness, index, &front)).collect();
            let mut places: Vec<usize> = (0..front.len()).collect();
            places.sort_by_key(|&place| (crowding[place], length[front[place]], front[place]));
            front = places.into_iter().map(|place| front[place]).collect();
        }
        order.extend(front);
        rest = behind;
    }
    if order.len() < wanted {
        alike.sort_by_key(|&index| (length[index], index));
        order.extend(alike);
    }
    order
}

/// The best individual for each objective, each once, in order of objectives.
fn preferred(fitness: &[&[f64]], length: &[u32]) -> Vec<usize> {
    let objectives = fitness.first().map_or(0, |vector| vector.len());
    let mut order = Vec::new();
    for objective in 0..objectives {
        let best = (0..fitness.len()).min_by(|&left, &right| {
            fitness[left][objective].total_cmp(&fitness[right][objective]).then(length[left].cmp(&length[right]))
        });
        if let Some(best) = best
            && !order.contains(&best)
        {
            order.push(best);
        }
    }
    order
}

fn compare(left: &[f64], right: &[f64]) -> std::cmp::Ordering {
    left.iter()
        .zip(right)
        .map(|(left, right)| left.total_cmp(right))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

/// Nowhere worse and somewhere better.
fn dominates(left: &[f64], right: &[f64]) -> bool {
    let mut better = false;
    for (left, right) in left.iter().zip(right) {
        if left > right {
            return false;
        }
        better |= left < right;
    }
    better
}

/// In how many objectives the strongest other one of the front is better.
fn sub_vector_dominance(fitness: &[&[f64]], index: usize, front: &[usize]) -> usize {
    let own = fitness[index];
    front
        .iter()
        .filter(|&&other| other != index)
        .map(|&other| fitness[other].iter().zip(own).filter(|(other, own)| other < own).count())
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(vectors: &[&[f64]], wanted: usize) -> Vec<usize> {
        select(vectors, &vec![1; vectors.len()], wanted)
    }

    #[test]
    fn the_best_of_each_objective_come_first() {
        // 1 is the best at the first objective, 2 at the second; 0 dominates 3.
        assert_eq!(order(&[&[0.5, 0.5], &[0.1, 0.9], &[0.9, 0.2], &[0.6, 0.6]], 4), [1, 2, 0, 3]);
    }

    #[test]
    fn among_equals_the_shorter_test_wins_and_copies_come_last() {
        let vectors: [&[f64]; 4] = [&[0.5], &[0.5], &[0.5], &[0.7]];
        assert_eq!(select(&vectors, &[3, 2, 4, 1], 4), [1, 0, 3, 2]);
        assert_eq!(select(&vectors, &[3, 2, 4, 1], 1), [1]);
    }

    #[test]
    fn an_individual_that_is_rarely_beaten_is_less_crowded() {
        // None dominates another; 3 is beaten by the others in one objective at most.
        let vectors: [&[f64]; 4] = [&[0.0, 0.9, 0.9], &[0.9, 0.0, 0.9], &[0.9, 0.9, 0.0], &[0.1, 0.1, 0.8]];
        assert_eq!(order(&vectors, 4), [0, 1, 2, 3]);
        assert_eq!(order(&[&[], &[]], 2), [0, 1]);
    }
}

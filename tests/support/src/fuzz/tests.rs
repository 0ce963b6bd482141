//! A toy reader: how inputs are derived, and which outcomes count as defects.

use super::*;

fn subject(read: Read, is_text: bool) -> Subject {
    let examples = vec![b"one (two 3)\nfour\n".to_vec(), vec![0; 9_000]];
    Subject { name: "toy", read, examples, words: vec![b"four".to_vec()], is_text, repair: None, weight: 1 }
}

#[test]
fn an_input_is_a_function_of_seed_name_and_number() {
    for is_text in [false, true] {
        let subject = subject(|_| Ok(None), is_text);
        let inputs = |seed| (0..500).map(|number| input(&subject, seed, number)).collect::<Vec<_>>();
        assert_eq!(inputs(1), inputs(1));
        let differ = inputs(1).iter().zip(inputs(2)).filter(|(one, other)| **one != *other).count();
        assert!(differ > 450, "{differ}");
        assert!(inputs(1).iter().any(|input| input.len() > 90_000) && inputs(1).iter().any(|input| input.len() < 20));
    }
}

#[test]
fn defects_are_told_from_rejections() {
    assert_eq!(check(|_| Err("no".into()), b"x"), Verdict::Rejected);
    assert_eq!(check(|bytes| Ok(Some(bytes.to_vec())), b"x"), Verdict::Accepted);
    let grows: Read = |bytes| Ok(Some([bytes, b"x"].concat()));
    assert_eq!(check(grows, b"x"), Verdict::Failed("from byte 0 it prints xx and then xxx".into()));
    let verdict = check(|bytes| Ok(Some(vec![bytes[5]])), b"x");
    assert!(matches!(&verdict, Verdict::Failed(sentence) if sentence.starts_with("it panics at ")), "{verdict:?}");
}

#[test]
fn a_failing_input_is_minimised() {
    let read: Read = |bytes| {
        assert!(!bytes.windows(2).any(|pair| pair == b"ab"), "a pair");
        Ok(None)
    };
    assert_eq!(minimised(read, b"xxxxxxxxabyyyyyyyyyyyyyyyyyyab"), b"ab");
    assert_eq!(minimised(read, b"xy"), b"xy");
}

"""The corpus, part 3 of 4: see `tests.verify.corpus_verdicts`."""

from tests.verify.corpus_verdicts import check, part


@part(2)
def test_the_verdict_and_the_mistakes_that_are_named(name, k):
    check(name, k)

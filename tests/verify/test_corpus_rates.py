"""The corpus is large and varied, and few of its mistakes are marked as not named."""

from tests.verify.corpus_verdicts import ANSWERS, SYSTEMS


def test_the_corpus_is_large_and_varied_and_the_rates_are_reached():
    assert len(ANSWERS) >= 300 and len(SYSTEMS) >= 25
    assert len({answer.quantity.split("[")[0] for answer in ANSWERS}) >= 12
    wrong = [answer for answer in ANSWERS if answer.mistakes]
    assert 0.45 <= len(wrong) / len(ANSWERS) <= 0.55
    for mistakes, rate in ((1, 0.9), (2, 0.6)):
        cases = [answer for answer in wrong if len(answer.mistakes) == mistakes]
        assert len(cases) >= 20
        assert sum(not answer.missed for answer in cases) >= rate * len(cases)

"""A noisy count to audit: privbayes audit --cells 2 --n 4 --epsilon 1 -- python3 noisy_count.py [EPSILON] [WHAT]

It counts the records of the first kind, adds two-sided geometric noise at EPSILON (default 1), and clamps to 0 ... 4.
WHAT it offers is "law", "draw" or "both", the default. Python's standard library is all it needs. Its random numbers
are for audits: a release wants a secure source.
"""
import math
import random
import sys

TOP = 4
EPSILON = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
WHAT = sys.argv[2] if len(sys.argv) > 2 else "both"
source = random.Random(7)


def law(count):
    """The probabilities of 0 ... TOP: P(noise = z) = (1 - q)/(1 + q) q^|z|, and the tails at the ends."""
    q = math.exp(-EPSILON)
    inside = [(1 - q) / (1 + q) * q ** abs(y - count) for y in range(TOP + 1)]
    inside[0] = q ** count / (1 + q)
    inside[TOP] = q ** (TOP - count) / (1 + q)
    return inside


def draw(count):
    """The difference of two geometric numbers is two-sided geometric."""
    def geometric():
        return int(math.log(1 - source.random()) / -EPSILON)
    return min(max(count + geometric() - geometric(), 0), TOP)


offers = {"law": "law %d" % (TOP + 1), "draw": "draw", "both": "law %d draw" % (TOP + 1)}[WHAT]
print("privbayes-audit 1", offers, flush=True)
for line in sys.stdin:
    request, *numbers = line.split()
    numbers = [int(word) for word in numbers]
    if request == "law":
        print(*(math.log(p) for p in law(numbers[0])))
    else:
        for _ in range(numbers[0]):
            print(draw(numbers[1]))
    sys.stdout.flush()

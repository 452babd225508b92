"""The native core against the reference, on random texts, for as long as one likes.

make fuzz                                    a minute
make fuzz FOR=3600 SEED=7                    an hour, from another seed
PYTHONPATH=tests python -m fuzz --case 7/1234    one case again, as a failure names it
"""

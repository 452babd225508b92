"""The campaign: every known family beside the engines that its makers use, on text of every kind.

`python -m spec.campaign` runs all of it and prints how many texts were compared and where anything differs.
The tests run the same comparisons on a part of the same texts.
"""

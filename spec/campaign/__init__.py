"""The campaign: every known family beside the engines that its makers use, on text of every kind.

`python -m spec.campaign` runs all of it and prints how many texts were compared and how many differ; with
`--share 0.01` it takes a hundredth of the code points, vocabularies and real texts. The tests make the same
comparisons on a part of these texts.
"""

"""Names that other libraries and papers use, and the names used here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

PARAMETERS: Mapping[str, str] = {
    "noise_std": "sigma σ std stdev stddev sd noise_multiplier noise_scale noise scale deviation z variance var",
    "scale": "b lam lambda λ noise_scale noise laplace_scale noise_std sigma",
    "epsilon": "eps e epsilon0 eps0 ε",
    "delta": "d delta0 δ",
    "rate": "q p sampling_rate sample_rate sampling_probability probability prob gamma fraction",
    "sensitivity": "sens delta_f l1_sensitivity l2_sensitivity clip max_grad_norm l2_norm_clip clipping_norm",
    "adjacency": "relation neighbours neighbors neighbouring_relation neighboring_relation neighboring",
    "categories": "k n num_categories options buckets",
    "mu": "gdp μ",
    "rho": "zcdp ρ",
    "renyi": "rdp",
    "mechanism": "base inner event",
    "parts": "items mechanisms events",
}
"""From the name here to the names elsewhere."""

MECHANISMS: Mapping[str, str] = {
    "Gaussian": "normal gauss gaussianmechanism gaussiandpevent",
    "Laplace": "lap laplacian laplacemechanism laplacedpevent",
    "Geometric": "discretelaplace geometricmechanism twosidedgeometric",
    "BlackBox": "dp pure puredp approxdp epsilondelta epsilondeltadpevent zcdp rdp gdp mechanism unknown",
    "RandomizedResponse": "rr krr randomizedresponsedpevent warner",
    "Exponential": "exponentialmechanism exp expmech",
    "AboveThreshold": "svt sparsevector sparsevectortechnique",
    "ReportNoisyMax": "noisymax argmax",
    "PermuteAndFlip": "permuteflip",
    "Sampled": "subsampled poisson poissonsampled poissonsampleddpevent sample subsample amplified",
    "SampledWithoutReplacement": "fixedsize sampledwithoutreplacementdpevent withoutreplacement",
    "SampledWithReplacement": "withreplacement sampledwithreplacementdpevent bootstrap",
    "TruncatedSample": "truncatedpoisson truncatedsubsampledgaussiandpevent",
    "ShuffledBatches": "shufflebatches epoch ablq",
    "Shuffled": "shuffle shufflemodel shufflemechanism localrandomizers",
    "RepeatAndSelect": "repeatandselectdpevent privateselection tuning bestof",
    "Composition": "compose composed composeddpevent sequence selfcomposeddpevent",
    "TreeAggregation": "tree dpftrl binarytree",
    "BandedMatrix": "banded bandmf matrixfactorization",
}
TRAINING = "dpsgd sgd sampledgaussian subsampledgaussian poissonsampledgaussian sgm"
STATISTICS = "count sum mean average median quantile histogram variance min max"
TRAINED = "1000 * Sampled(Gaussian(noise_std=1), rate=0.01)"
"""DP-SGD with its number of steps, its noise multiplier and its rate."""

NOTES: Mapping[tuple[str, str], str] = {
    ("noise_std", "noise_multiplier"): ", the noise multiplier where the sensitivity is 1",
    **dict.fromkeys((("noise_std", "variance"), ("noise_std", "var")), ", the square root of the variance"),
    ("sensitivity", "max_grad_norm"): ", which a noise multiplier has divided out already",
}
INSTEAD: Mapping[tuple[str, str], str] = {
    ("scale", "epsilon"): ", which is sensitivity/ε",
    ("noise_std", "epsilon"): ", which `calibrate` finds for an ε and a δ",
    ("epsilon", "rate"): ", which is ln(p/(1-p)) for two answers",
}
"""For a parameter that a mechanism has, and one that it has not: how the first follows from the second."""


def nearest(name: str, allowed: Sequence[str]) -> str:
    """The allowed name that was probably meant, in words; empty if none is similar."""
    said = name.casefold()[:60].replace("-", "_")
    folded = {one.casefold(): one for one in allowed}
    if said in folded:
        return folded[said]
    for ours, theirs in PARAMETERS.items():
        if ours in folded and said in theirs.split():
            return f"{ours}{NOTES.get((ours, said), '')}"
    for (ours, missing), words in INSTEAD.items():
        if ours in folded and (said == missing or said in PARAMETERS[missing].split()):
            return f"{ours}{words}"
    near = get_close_matches(said, folded, n=1, cutoff=0.5)
    return folded[near[0]] if near else ""


def mechanism(name: str, allowed: Mapping[str, str]) -> str:
    """The mechanism that was probably meant, by a synonym or by its spelling; `allowed` maps names to what is shown."""
    said = name.casefold().replace("_", "").replace("-", "")[:60]
    if said in TRAINING.split():
        return TRAINED
    if said in STATISTICS.split():
        return "`dpcompose release`, which answers from data"
    for ours in allowed:
        if said == ours.casefold() or said in MECHANISMS.get(ours, "").split():
            return allowed[ours]
    near = get_close_matches(name[:60], [*allowed, *allowed.values()], n=1, cutoff=0.5)
    return allowed.get(near[0], near[0]) if near else ""


def unknown(what: str, name: str, meant: str, allowed: Sequence[str]) -> str:
    """A refusal of a name that does not exist, with the one that was probably meant, or else with all allowed names."""
    shown = name if len(name) <= 40 else f"{name[:37]}..."
    if len(allowed) > 12 and meant:
        return f"{what} {shown!r} (did you mean {meant}?)."
    hint = f" (did you mean {meant}?)" if meant else ""
    return f"{what} {shown!r}{hint}, allowed are {', '.join(allowed)}."


__all__ = ["mechanism", "nearest", "unknown"]

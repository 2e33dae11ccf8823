"""The bibliography: a line a paper. `KOV15.at("Thm. 3.3")` names the place."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Source:
    """A publication, and the place in it."""

    key: str
    authors: str
    title: str
    venue: str
    year: int
    where: str = ""

    def at(self, where: str) -> Source:
        """The same publication, at a theorem or page."""
        return replace(self, where=where)

    def __str__(self) -> str:
        return f"{self.key} {self.where}".strip()

    @property
    def bibtex(self) -> str:
        """The BibTeX entry."""
        body = {"author": self.authors, "title": self.title, "note": self.venue, "year": self.year}
        return "\n".join([f"@misc{{{self.key},", *(f"  {k} = {{{v}}}," for k, v in body.items()), "}"])


DRV10 = Source(
    "DRV10",
    "Cynthia Dwork and Guy N. Rothblum and Salil Vadhan",
    "Boosting and Differential Privacy",
    "FOCS",
    2010,
)
DR14 = Source(
    "DR14",
    "Cynthia Dwork and Aaron Roth",
    "The Algorithmic Foundations of Differential Privacy",
    "FnTTCS 9",
    2014,
)
MIR17 = Source("MIR17", "Ilya Mironov", "Rényi Differential Privacy", "CSF", 2017)
MTZ19 = Source(
    "MTZ19",
    "Ilya Mironov and Kunal Talwar and Li Zhang",
    "Rényi Differential Privacy of the Sampled Gaussian Mechanism",
    "arXiv 1908.10530",
    2019,
)
KOV15 = Source(
    "KOV15",
    "Peter Kairouz and Sewoong Oh and Pramod Viswanath",
    "The Composition Theorem for Differential Privacy",
    "ICML; IEEE TIT 63",
    2015,
)
SMITH = Source(
    "SMITH",
    "Adam Smith",
    "Lecture notes on strong composition, randomized response and the simulation lemma",
    "Lecture 10",
    2020,
)
MV16 = Source(
    "MV16",
    "Jack Murtagh and Salil Vadhan",
    "The Complexity of Computing the Optimal Composition of Differential Privacy",
    "TCC",
    2016,
)
BS16 = Source(
    "BS16",
    "Mark Bun and Thomas Steinke",
    "Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds",
    "TCC",
    2016,
)
CKS20 = Source(
    "CKS20",
    "Clément Canonne and Gautam Kamath and Thomas Steinke",
    "The Discrete Gaussian for Differential Privacy",
    "NeurIPS",
    2020,
)
DRS22 = Source("DRS22", "Jinshuo Dong and Aaron Roth and Weijie Su", "Gaussian Differential Privacy", "JRSS B 84", 2022)
BW18 = Source(
    "BW18",
    "Borja Balle and Yu-Xiang Wang",
    "Improving the Gaussian Mechanism for Differential Privacy",
    "ICML",
    2018,
)
GV16 = Source(
    "GV16",
    "Quan Geng and Pramod Viswanath",
    "The Optimal Noise-Adding Mechanism in Differential Privacy",
    "IEEE TIT 62",
    2016,
)
GRS12 = Source(
    "GRS12",
    "Arpita Ghosh and Tim Roughgarden and Mukund Sundararajan",
    "Universally Utility-Maximizing Privacy Mechanisms",
    "SICOMP 41",
    2012,
)
DMNS06 = Source(
    "DMNS06",
    "Cynthia Dwork and Frank McSherry and Kobbi Nissim and Adam Smith",
    "Calibrating Noise to Sensitivity in Private Data Analysis",
    "TCC",
    2006,
)
DR19 = Source(
    "DR19",
    "David Durfee and Ryan Rogers",
    "Practical Differentially Private Top-k Selection with Pay-what-you-get Composition",
    "NeurIPS",
    2019,
)
DDR20 = Source(
    "DDR20",
    "Jinshuo Dong and David Durfee and Ryan Rogers",
    "Optimal Differential Privacy Composition for Exponential Mechanisms",
    "ICML",
    2020,
)
CR21 = Source(
    "CR21",
    "Mark Cesar and Ryan Rogers",
    "Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition for Data Analytics",
    "ALT",
    2021,
)
WRRW23 = Source(
    "WRRW23",
    "Justin Whitehouse and Aaditya Ramdas and Ryan Rogers and Zhiwei Steven Wu",
    "Fully Adaptive Composition in Differential Privacy",
    "ICML",
    2023,
)
ZDW22 = Source(
    "ZDW22",
    "Yuqing Zhu and Jinshuo Dong and Yu-Xiang Wang",
    "Optimal Accounting of Differential Privacy via Characteristic Function",
    "AISTATS",
    2022,
)
BBG18 = Source(
    "BBG18",
    "Borja Balle and Gilles Barthe and Marco Gaboardi",
    "Privacy Amplification by Subsampling: Tight Analyses via Couplings and Divergences",
    "NeurIPS",
    2018,
)
BLOCKI12 = Source(
    "BLOCKI12",
    "Jeremiah Blocki and Avrim Blum and Anupam Datta and Or Sheffet",
    "The Johnson-Lindenstrauss Transform Itself Preserves Differential Privacy",
    "FOCS",
    2012,
)
CHE52 = Source(
    "CHE52",
    "Herman Chernoff",
    "A Measure of Asymptotic Efficiency for Tests of a Hypothesis Based on the Sum of Observations",
    "Annals of Mathematical Statistics 23",
    1952,
)
WBK19 = Source(
    "WBK19",
    "Yu-Xiang Wang and Borja Balle and Shiva Kasiviswanathan",
    "Subsampled Rényi Differential Privacy and Analytical Moments Accountant",
    "AISTATS",
    2019,
)
MS20 = Source(
    "MS20",
    "Ryan McKenna and Daniel Sheldon",
    "Permute-and-Flip: A New Mechanism for Differentially Private Selection",
    "NeurIPS",
    2020,
)
KMS21 = Source(
    "KMS21",
    "Peter Kairouz and Brendan McMahan and Shuang Song and Om Thakkar and Abhradeep Thakurta and Zheng Xu",
    "Practical and Private (Deep) Learning without Sampling or Shuffling",
    "ICML",
    2021,
)
CCM23 = Source(
    "CCM23",
    "Christopher A. Choquette-Choo and Arun Ganesh and Ryan McKenna and H. Brendan McMahan and Keith Rush and Abhradeep Thakurta and Zheng Xu",
    "(Amplified) Banded Matrix Factorization: A Unified Approach to Private Training",
    "NeurIPS",
    2023,
)
CCG24 = Source(
    "CCG24",
    "Christopher A. Choquette-Choo and Arun Ganesh and Thomas Steinke and Abhradeep Thakurta",
    "Privacy Amplification for Matrix Mechanisms",
    "ICLR",
    2024,
)
GANESH25 = Source("GANESH25", "Arun Ganesh", "Tighter Privacy Analysis for Truncated Poisson Sampling", "arXiv 2508.15089", 2025)
CGK24 = Source(
    "CGK24",
    "Lynn Chua and Badih Ghazi and Pritish Kamath and Ravi Kumar and Pasin Manurangsi and Amer Sinha and Chiyuan Zhang",
    "How Private are DP-SGD Implementations?",
    "ICML",
    2024,
)
FMT23 = Source(
    "FMT23",
    "Vitaly Feldman and Audra McMillan and Kunal Talwar",
    "Stronger Privacy Amplification by Shuffling for Rényi and Approximate Differential Privacy",
    "SODA",
    2023,
)
PS22 = Source(
    "PS22",
    "Nicolas Papernot and Thomas Steinke",
    "Hyperparameter Tuning with Renyi Differential Privacy",
    "ICLR",
    2022,
)
KRW24 = Source(
    "KRW24",
    "Antti Koskela and Rachel Redberg and Yu-Xiang Wang",
    "Privacy Profiles for Private Selection",
    "ICML",
    2024,
)
HERE = Source(
    "DPCOMPOSE",
    "The dpcompose authors",
    "dpcompose: derivations in its documentation",
    "docs/derivations",
    2026,
)

BY_KEY = {source.key: source for source in tuple(globals().values()) if isinstance(source, Source)}

"""Why objects cost what they cost: what their lines hold, and what is waited for."""

from dataclasses import dataclass

from abut.advice.culprits import Culprit
from abut.advice.sample import Sample
from abut.advice.trials import ALIGN, APART, ORDER, REORDER, RUN, SHRINK, SPLIT, SPREAD

_MUCH = 0.3  # of a line, or of the wait


@dataclass(frozen=True, slots=True)
class LineUse:
    """Shares of the lines that a culprit's misses bring in: used; not used, of its own objects, of
    others of its kind, of other contexts, of none.
    """

    used: float
    own: float
    alike: float
    others: float

    @property
    def empty(self) -> float:
        """What no object has."""
        return max(0.0, 1 - self.used - self.own - self.alike - self.others)


def line_use(culprit: Culprit, sample: Sample) -> LineUse:
    """What lies on its lines."""
    closeup = sample.closeup
    words = 8 * closeup.sum_of("lines", culprit.contexts)
    names = ("used", "own", "alike", "others")
    return LineUse(*(closeup.sum_of(name, culprit.contexts) / max(1, words) for name in names))


def page_use(culprit: Culprit, sample: Sample) -> float | None:
    """The share of the 4 KiB pages that its accesses bring in that is used before they leave, in
    lines of 64 bytes; as many stay as the last TLB reaches. None where it brings in none.
    """
    brought = int(sample.waits.page_brought[culprit.contexts].sum())
    return int(sample.waits.page_used[culprit.contexts].sum()) / brought if brought else None


def reason_of(  # noqa: PLR0911 - a return for each reason
    kind: str, culprit: Culprit, sample: Sample, mate: str
) -> tuple[str, str]:
    """The reason that an action removes, as a name and as a sentence. `mate`: what else lies on its
    lines.
    """
    waits, use = sample.waits, line_use(culprit, sample)
    own = max(1.0, float(waits.by_context[culprit.contexts].sum()))
    dependence = float(waits.dependence[culprit.contexts].sum()) / own
    walks = float(waits.walks[culprit.contexts].sum()) / own
    used = f"{use.used:.0%} of each line that they bring in is used"
    if kind in (SPLIT, REORDER):
        cold = f"{use.own:.0%} holds cold fields of the same objects"
        return "hot and cold fields on one line", f"{used}; {cold}"
    if kind == SHRINK and culprit.structure:
        holes = culprit.structure.holes
        return "padding", f"{holes} of {culprit.size} bytes are holes that no member has"
    if kind == ALIGN:
        return (
            "straddles lines",
            f"objects of {culprit.size} bytes begin anywhere in a line, so that many lie on two "
            "where one would do",
        )
    if kind == SPREAD:
        return (
            "alignment conflict",
            f"{sample.closeup.crowded(culprit.contexts):.0%} of their misses are in an eighth of "
            "the sets: their addresses differ by multiples of a power of two",
        )
    if kind in (RUN, APART) and use.empty >= max(use.alike, use.others):
        return "headers and padding", f"{used}; {use.empty:.0%} is of no object"
    if kind in (RUN, ORDER, APART) and use.alike + use.others >= _MUCH:
        what = mate if use.others >= use.alike else "others of their kind"
        share = max(use.others, use.alike)
        return (
            f"interleaved with {what}",
            f"{used}; {share:.0%} of it is {what}, not used at that time",
        )
    if dependence + walks >= _MUCH:
        return (
            "pointer chase across pages",
            f"{dependence:.0%} of the wait is for addresses that come from memory, {walks:.0%} for "
            "page tables: each is found through another that lies far away",
        )
    return "far apart", used

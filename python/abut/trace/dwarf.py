"""What entries of debug information (DWARF) say: names, types, sizes. Entries are pyelftools'."""

from typing import Any

STRUCTURES = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
QUALIFIERS = {"DW_TAG_const_type": "const ", "DW_TAG_volatile_type": "volatile "}
POINTERS = {
    "DW_TAG_pointer_type": " *",
    "DW_TAG_reference_type": " &",
    "DW_TAG_rvalue_reference_type": " &&",
}
_DEEP = 12  # an entry of entries: deeper is damaged
_MOST_ALIGN = 16


def name_of(die: Any) -> str:
    """The name; empty where there is none."""
    found = die.attributes.get("DW_AT_name")
    if found is None:
        return ""
    text = found.value if isinstance(found.value, bytes) else die.dwarfinfo.string(found.value)
    return str(text.decode(errors="replace"))


def origin_of(die: Any) -> Any:
    """The entry that this one is an instance or the definition of."""
    for _ in range(_DEEP):
        links = ("DW_AT_abstract_origin", "DW_AT_specification")
        link = next((one for one in links if one in die.attributes), None)
        if link is None:
            break
        die = die.get_DIE_from_attribute(link)
    return die


def type_of(die: Any) -> Any:
    """The entry of its type; None of what has none."""
    return die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None


def bare(die: Any) -> Any:
    """A type behind its typedefs and qualifiers."""
    for _ in range(_DEEP):
        if die is None or die.tag not in ("DW_TAG_typedef", *QUALIFIERS):
            break
        die = type_of(die)
    return die


def size_of(die: Any, depth: int = 0) -> int:
    """Bytes of a type; 0 where they are not known."""
    if die is None or depth > _DEEP:
        return 0
    if "DW_AT_byte_size" in die.attributes:
        return int(die.attributes["DW_AT_byte_size"].value)
    if die.tag in POINTERS:
        return 8
    if die.tag == "DW_TAG_array_type":
        return size_of(type_of(die), depth + 1) * _elements(die)
    return size_of(type_of(die), depth + 1)


def _elements(die: Any) -> int:
    count = 1
    for child in die.iter_children():
        if "DW_AT_count" in child.attributes:
            count *= child.attributes["DW_AT_count"].value
        elif "DW_AT_upper_bound" in child.attributes:
            count *= child.attributes["DW_AT_upper_bound"].value + 1
    return int(count)


def align_of(die: Any, depth: int = 0) -> int:
    """Alignment of a type in bytes."""
    if die is None or depth > _DEEP:
        return 1
    if "DW_AT_alignment" in die.attributes:
        return int(die.attributes["DW_AT_alignment"].value)
    plain = bare(die)
    if plain is None:
        return 1
    if plain.tag == "DW_TAG_array_type":
        return align_of(type_of(plain), depth + 1)
    if plain.tag in STRUCTURES:
        inner = (type_of(child) for child in plain.iter_children() if child.tag == "DW_TAG_member")
        return max((align_of(one, depth + 1) for one in inner), default=1)
    return max(1, min(_MOST_ALIGN, size_of(plain)))


def written(die: Any, depth: int = 0) -> str:
    """A type as one writes it."""
    if die is None or depth > _DEEP:
        return "void"
    tag = die.tag
    if tag in POINTERS:
        return f"{written(type_of(die), depth + 1)}{POINTERS[tag]}".replace("* *", "**")
    if tag in QUALIFIERS:
        return f"{QUALIFIERS[tag]}{written(type_of(die), depth + 1)}"
    if tag == "DW_TAG_array_type":
        return f"{written(type_of(die), depth + 1)}[{_elements(die)}]"
    return name_of(die) or ("function" if tag == "DW_TAG_subroutine_type" else "struct")

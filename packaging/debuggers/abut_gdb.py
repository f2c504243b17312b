"""How gdb prints abut's containers: put `source PREFIX/share/abut/abut_gdb.py` into .gdbinit."""

import gdb
import gdb.printing


def _base_with(value, field):
    """The part of a container that has a field: itself, or one of its bases."""
    kind = value.type.strip_typedefs()
    names = [f.name for f in kind.fields() if not f.is_base_class]
    if field in names:
        return value
    for base in kind.fields():
        if base.is_base_class:
            found = _base_with(value[base], field)
            if found is not None:
                return found
    return None


def _value_type(container):
    """What a container's allocator, its last argument, is for."""
    kind = container.type.strip_typedefs()
    count = 0
    while True:
        try:
            kind.template_argument(count)
        except RuntimeError:
            break
        count += 1
    return kind.template_argument(count - 1).strip_typedefs().template_argument(0)


def _leaf_values(tree, value_type):
    """The elements in the leaves of a tree, or in blocks that the leaves point to."""
    leaf = tree["first_"]
    slots = leaf.type.target().template_argument(0).strip_typedefs()
    is_boxed = any("BoxedSlots" in str(f.type) for f in slots.fields() if f.is_base_class)
    slot = value_type.pointer() if is_boxed else value_type
    align = slot.alignof
    offset = (leaf.type.target().sizeof + align - 1) // align * align
    while leaf:
        first = (leaf.cast(gdb.lookup_type("char").pointer()) + offset).cast(slot.pointer())
        for i in range(int(leaf["count"])):
            yield first[i].dereference() if is_boxed else first[i]
        leaf = leaf["next"]


def _linked_values(core, value_type):
    """The elements in nodes that are linked, behind each node's links."""
    end = core["ends_"].address
    link_type = core["ends_"].type
    align = value_type.alignof
    offset = (link_type.sizeof + align - 1) // align * align
    link = core["ends_"]["next"]
    while link != end:
        at = link.cast(gdb.lookup_type("char").pointer()) + offset
        yield at.cast(value_type.pointer()).dereference()
        link = link["next"]


class ContainerPrinter:
    """The size, and the elements in order."""

    def __init__(self, name, container):
        self._name = name
        self._value_type = _value_type(container)
        tree_owner = _base_with(container, "ends_")
        if tree_owner is not None:
            self._size = int(tree_owner["size_"])
            self._values = lambda: _linked_values(tree_owner, self._value_type)
        else:
            tree = _base_with(container, "tree_")["tree_"]
            self._size = int(tree["size_"])
            self._values = lambda: _leaf_values(tree, self._value_type)

    def to_string(self):
        """As the standard's containers are shown."""
        return f"abut::{self._name} with {self._size} element{'s' if self._size != 1 else ''}"

    def display_hint(self):
        """Keys and values in turn, or elements."""
        return "map" if "map" in self._name else "array"

    def children(self):
        """Named by place; of maps keys and values in turn."""
        for i, value in enumerate(self._values()):
            if "map" in self._name:
                yield f"key {i}", value["first"]
                yield f"value {i}", value["second"]
            else:
                yield f"[{i}]", value


def _printer():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("abut")
    for prefix in ("", "stable_"):
        for kind in ("map", "multimap", "set", "multiset"):
            name = prefix + kind
            printers.add_printer(
                name, f"^abut::{name}<.*>$", lambda value, name=name: ContainerPrinter(name, value)
            )
    printers.add_printer("list", "^abut::list<.*>$", lambda value: ContainerPrinter("list", value))
    return printers


gdb.printing.register_pretty_printer(None, _printer(), replace=True)

# ruff: noqa: E501 - demangled names are long
"""Call chains become names: the program's own function, and the type of what is allocated."""

from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.trace.names import Rules, name_of, read_rules, readable, short_name
from abut.trace.symbols import Place

RULES = read_rules()
NODE = "std::_Rb_tree_node<std::pair<int const, Order> >"
# From the innermost: functions as they are demangled, or (function, file).
CHAINS: list[tuple[list[str | tuple[str, str]], str]] = [
    (
        [f"std::__new_allocator<{NODE} >::allocate(unsigned long, void const*)",
         "std::map<int, Order, std::less<int>, std::allocator<std::pair<int const, Order> > >::emplace<int&>(int&)",
         "Book::add(int)", "main"],
        "std::map<int, Order> node in Book::add",
    ),
    (
        ["operator new(unsigned long)", "void std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_assign(x const&)",
         "(anonymous namespace)::read(std::vector<int, std::allocator<int> > const&)"],
        "std::string text in read",
    ),
    (
        ["std::allocator_traits<std::allocator<std::__detail::_Hash_node<std::pair<long const, std::unique_ptr<Order> >, false> > >::allocate(A&, unsigned long)",
         "boost::container::f<int>()", "absl::lts::g()", "Index<long>::put(long)"],
        "std::unordered_map<long, std::unique_ptr<Order>> node in Index::put",
    ),
    (["std::_Vector_base<Order*, std::allocator<Order*> >::_M_allocate(unsigned long)", "grow(int)"], "std::vector<Order*> array in grow"),
    (
        ["std::_Vector_base<std::thread, std::allocator<std::thread> >::_M_allocate(unsigned long)",
         "std::_Vector_base<Sum, std::allocator<Sum> >::_M_allocate(unsigned long)", "std::vector<Sum, std::allocator<Sum> >::vector(unsigned long)", "main"],
        "std::vector<Sum> array in main",
    ),
    (["alloc::alloc::alloc", "alloc::vec::Vec<book::Order, alloc::alloc::Global>::with_capacity", "book::main::h0123456789abcdef"], "Vec<book::Order> array in book::main"),
    (["l_alloc", "luaM_malloc_", "luaC_newobj", "luaH_new", "luaV_execute"], "objects in luaH_new"),
    (["Perl_safesysmalloc", "S_more_sv", "Perl_newSViv"], "objects in Perl_newSViv"),
    (["_PyObject_GC_Alloc", "_PyObject_GC_NewVar", "PyTuple_New"], "objects in PyTuple_New"),
    (["xmalloc", "my_strdup", "xcalloc", "parse_line"], "objects in parse_line"),
    (["malloc", "bench::allocate_bytes(unsigned long)", "tok_alloc_new", "grow"], "objects in grow"),
    (["malloc", "ztrymalloc_usable_internal", "zmalloc", "sdsnewlen"], "objects in sdsnewlen"),
    ([("allocate", "/usr/include/c++/12/bits/new_allocator.h"), ("push_back", "/usr/include/c++/12/bits/stl_vector.h"), "fill"], "std::vector array in fill"),
    (["operator new(unsigned long)"], "objects in operator new"),
    ([], "objects in unknown code"),
]  # fmt: skip


def places(functions: list[str | tuple[str, str]]) -> list[Place]:
    return [
        Place("/bin/prog", 0, *(one if isinstance(one, tuple) else (one,))) for one in functions
    ]


@pytest.mark.parametrize(("functions", "said"), CHAINS, ids=[said for _, said in CHAINS])
def test_a_chain_is_named_by_its_own_function(
    functions: list[str | tuple[str, str]], said: str
) -> None:
    assert name_of(places(functions), RULES).said() == said


def test_code_without_symbols_is_the_programs_unless_it_is_a_known_librarys() -> None:
    chain = [Place("/lib/libstdc++.so.6", 0x10), Place("/bin/prog", 0x20), Place("", 0x7F00)]
    assert name_of(chain, RULES).said() == "objects in prog+0x20"
    assert name_of(chain[2:], RULES).said() == "objects in ?+0x7f00", "generated code"


@pytest.mark.parametrize(
    ("function", "short"),
    [
        ("void f<std::vector<int> >(std::map<int, long>*)", "f"),
        ("A::operator()(int) const", "A::operator()"),
        ("operator new[](unsigned long)", "operator new[]"),
        ("bool operator< <A>(A const&, A const&)", "operator<"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"),
        ("(anonymous namespace)::g(int) [clone .isra.0]", "g"),
        ("plain", "plain"),
    ],
)
def test_functions_are_short(function: str, short: str) -> None:
    assert short_name(function) == short


def test_types_lose_what_stands_there_by_default() -> None:
    long = "std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int, std::less<x>, std::allocator<y> >"
    assert readable(long, RULES) == "std::map<std::string, int>"


def test_a_file_adds_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'prefixes = ["arena_"]\n[[type]]\ntemplate = "Pool"\nname = "{0} of a pool"\n'
    (tmp_path / "abut-names.toml").write_text(text)
    chain = places(["arena_take", "Pool<Order>::arena_get(int)", "arena_x", "Book::add(int)"])
    chain[1] = Place("/bin/prog", 0, "arena_get<Pool<Order> >(int)")
    assert name_of(chain, RULES).function == "arena_take"
    assert name_of(chain, read_rules(tmp_path / "abut-names.toml")).said() == (
        "Order of a pool in Book::add"
    )
    monkeypatch.chdir(tmp_path)
    assert name_of(chain, read_rules()).function == "Book::add"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = [", "bad.toml"),
        ("prefix = []", "prefix"),
        ('patterns = ["("]', "missing"),
        ('prefixes = "arena_"', "'arena_' is no list of words"),
        ("[shorter]\nlong = 3", "3"),
        ('[[type]]\ntemplate = 3\nname = "pool"', "3"),
    ],
)
def test_a_file_that_is_wrong_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(AbutError, match=why):
        read_rules(tmp_path / "bad.toml")
    with pytest.raises(AbutError, match="No such file"):
        read_rules(tmp_path / "none.toml")


def test_rules_are_plain_data() -> None:
    assert isinstance(RULES, Rules)
    assert len(RULES.types) > 10

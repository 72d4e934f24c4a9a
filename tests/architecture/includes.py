# SPDX-License-Identifier: MIT
"""Whether each file includes what it uses. No build of ours tells: they compile a room's files a dozen at a time
(MAXLAT_UNITY), and what one file forgot, another of its dozen has.

A name of the standard library needs a header that promises it, a name of the house the header that declares it. Either
may come through headers of ours, but not through those of the standard library, which differ from version to version.
It is read and not compiled, so it takes a second: names of the system's and of other libraries are not looked at.
`scripts/try-build -DMAXLAT_UNITY=OFF` compiles each file by itself.
"""
import os
import re

# Header: names in std. A name in several lines needs one of the headers.
STANDARD = """
algorithm: all_of any_of binary_search clamp copy copy_if copy_n count_if equal_range fill fill_n find find_if find_if_not
algorithm: for_each inplace_merge is_sorted lower_bound max max_element min min_element minmax_element mismatch none_of
algorithm: nth_element partition remove_if replace reverse rotate search shuffle sort stable_sort transform unique upper_bound
array: array to_array
atomic: atomic atomic_ref atomic_signal_fence atomic_thread_fence
atomic: memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst
bit: bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero has_single_bit popcount
bitset: bitset
charconv: from_chars to_chars
chrono: chrono
cmath: ceil erfc exp exp2 floor hypot isfinite isinf isnan llround log10 log2 lround pow sqrt
compare: strong_ordering
complex: complex
condition_variable: condition_variable condition_variable_any
cstdint: int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintptr_t
cstdlib: abort exit free getenv malloc strtod strtoul strtoull
cstring: memcmp memcpy memmove memset strchr strcmp strerror strlen strncmp
deque: deque
filesystem: filesystem
fstream: fstream ifstream ofstream
functional: function greater hash less
future: async future promise
initializer_list: initializer_list
iomanip: get_time put_time setfill setprecision setw
iostream: cerr cin cout
istream: istream
iterator: back_inserter istreambuf_iterator make_move_iterator
limits: numeric_limits
list: list
map: map multimap
memory: make_shared make_unique shared_ptr unique_ptr weak_ptr
mutex: call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock
new: bad_alloc nothrow
numeric: accumulate gcd iota lcm midpoint reduce
optional: make_optional nullopt optional
queue: priority_queue queue
random: exponential_distribution mt19937 mt19937_64 normal_distribution random_device uniform_int_distribution
random: uniform_real_distribution
ranges: views
set: multiset set
shared_mutex: shared_lock shared_mutex
source_location: source_location
span: as_bytes as_writable_bytes span
sstream: istringstream ostringstream stringstream
stdexcept: invalid_argument logic_error out_of_range runtime_error
string: getline stod stoi stoul string string_view to_string
string_view: string_view
thread: jthread this_thread thread
tuple: apply make_tuple tie tuple
type_traits: conditional_t decay_t enable_if_t is_convertible_v is_enum_v is_integral_v is_same_v is_trivially_copyable_v
type_traits: remove_const_t remove_cvref_t underlying_type_t
unordered_map: unordered_map
unordered_set: unordered_set
utility: exchange forward move pair swap
variant: get_if holds_alternative monostate variant visit
vector: vector
"""
# What else brings a header's names, by the standard's own synopsis or because it cannot do without.
BRINGS = {
    "cmath": {"math.h"}, "cstdint": {"cinttypes", "inttypes.h", "stdint.h"}, "cstdlib": {"stdlib.h"}, "cstring": {"string.h"},
    "initializer_list": {"map", "set", "string", "vector"}, "iosfwd": {"fstream", "iostream", "istream", "ostream", "sstream"},
    "istream": {"iosfwd", "iostream", "sstream", "fstream"}, "type_traits": {"functional", "memory", "optional", "tuple", "variant"},
    "utility": {"algorithm", "array", "deque", "functional", "map", "memory", "optional", "set", "string", "string_view",
                "tuple", "unordered_map", "unordered_set", "variant", "vector"},
}
NEEDS = {}
for _line in STANDARD.strip().splitlines():
    _header, _names = _line.split(": ")
    for _name in _names.split():
        NEEDS.setdefault(_name, (_header, set()))[1].update({_header} | BRINGS.get(_header, set()))

NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
LONG_MACRO = re.compile(r"^#\s*define (?:[^\n]*\\\n)+[^\n]*", re.M)
DECLARES = [
    re.compile(r"^(?:template\s*<[^>]*>\s*)?(?:class|struct|enum(?: class)?|union)\s+(?:alignas\([^)]*\)\s*)?"
               r"(?:\[\[\w+\]\]\s*)?(\w+)[^;{]*\{", re.M),
    re.compile(r"^using (\w+) =", re.M),
    re.compile(r"^(?:inline |extern )*constexpr [\w:<>]+ (k\w+)", re.M),
    re.compile(r"^#\s*define (MAXLAT_\w+)", re.M),
]
USES = re.compile(r"(?<![.>\w])((?:\w+::)*)(k[A-Z]\w+|[A-Z]\w+)\b")
# The house's headers that another of ours includes where it has declared what they use.
INNER = re.compile(r"tracer/ring/port_\w+\.h")


class File:
    def __init__(self, path, room, text):
        self.path, self.room = path, room
        self.code = NOT_CODE.sub('""', text)
        self.used = LONG_MACRO.sub("", self.code)  # whoever uses a macro includes what is in it
        self.included = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.M)
        self.namespaces = set(re.findall(r"^namespace ([\w:]+) \{", self.code, re.M))
        self.is_header = path.suffix in (".h", ".hpp")
        self.is_public = "include" in path.parts
        self.ours, self.others = [], set()  # of `included`

    def has_of_its_own(self, name):
        """Declared in it, at any depth, forward too, or by a test's name; or asked for by #ifdef."""
        return re.search(rf"\b(?:class|struct|enum|using|constexpr|union|typename|TEST(?:_F|_P)?\()[^;={{]*\b{name}\b|"
                         rf"\bk\w+ = [^;]*\b{name} = |^\s+{name}(?: = [^,]+)?,?$|(?:define |defined\(|ifn?def ){name}\b",
                         self.code, re.M)


def read(root, folders, sources, room_of):
    files = {path: File(path, room_of(path, root), path.read_text(errors="replace"))
             for folder in [*folders, "tests/support"] for path in sources(root / folder)}
    by_name = {str(path): path for path in files}
    public = {}
    for name, path in by_name.items():
        inside = re.search(r"/(?:include/(maxlat/.*)|tracer/ring/(.+))$", name)
        if inside:
            public[inside[1] or f"maxlat/ring/{inside[2]}"] = path
    for file in files.values():
        for target in file.included:
            folders_of_it = (file.path.parent, root / file.room / "src", root / file.room)
            places = [] if target.startswith("maxlat/") else [os.path.normpath(f"{each}/{target}") for each in folders_of_it]
            found = [path for path in [public.get(target), *map(by_name.get, places)] if path]
            if found:
                file.ours.append(found[0])
            else:
                file.others.add(target)
    return files


def reached(files, path):
    """RETURNS: the files of ours that this one sees, and the headers of others."""
    seen, to_do = {path}, [path]
    while to_do:
        new = [other for other in files[to_do.pop()].ours if other not in seen]
        seen.update(new)
        to_do += new
    return seen, set().union(*(files[other].others for other in seen))


def of_standard(file, headers):
    for name in sorted(set(re.findall(r"(?<!\w::)\bstd::(\w+)", file.used))):
        header, any_of = NEEDS.get(name, (None, headers))
        if header and not any_of & headers:
            yield f"std::{name} without <{header}>"


def of_house(file, seen, declared, files, arrows):
    for scope, name in sorted(set(USES.findall(file.used))):
        headers = [path for path in declared.get(name, ()) if may_mean(file, scope, name, files[path], arrows)]
        if headers and not seen.intersection(headers) and not any(files[path].has_of_its_own(name) for path in seen):
            yield f"{scope}{name} without {files[headers[0]].path.name}, which declares it"


def may_mean(file, scope, name, header, arrows):
    if header.room != file.room and not (header.is_public and header.room in arrows.get(file.room, ())):
        return False
    if name.startswith("MAXLAT_") or not header.namespaces:
        return header.room == file.room or header.room == "base"
    if not scope:
        return bool(header.namespaces & file.namespaces)
    return any(f"::{space}::".endswith(f"::{scope}") for space in header.namespaces)


def findings(root, folders, sources, room_of, arrows):
    """One line each."""
    root = root.resolve()
    files = read(root, folders, sources, room_of)
    declared = {}
    for path, file in files.items():
        if file.is_header:
            for pattern in DECLARES:
                for name in pattern.findall(file.code):
                    declared.setdefault(name, []).append(path)
    for path, file in files.items():
        seen, headers = reached(files, path)
        shown = path.relative_to(root)
        if INNER.fullmatch(str(shown)):
            continue
        wrong = [] if path.suffix == ".c" else list(of_standard(file, headers))
        for what in [*wrong, *of_house(file, seen, declared, files, arrows)]:
            yield f"{shown}: uses {what}"


# For check_house.py --self-test.
BROKEN = {
    "base/include/maxlat/base/no_width.hpp": "namespace maxlat::base {\nstd::uint64_t ticks();\n}\n",
    "scheduling/src/no_shape.cpp": "namespace maxlat::scheduling {\nint corners(const Shape& shape) { return shape.corners; }\n}\n",
}
SOUND = {
    "scheduling/src/shape.hpp": "#include <cstdint>\nnamespace maxlat::scheduling {\nstruct Shape {\n  std::uint8_t corners;\n};\n}\n",
    "scheduling/src/with_shape.cpp": '#include "shape.hpp"\nnamespace maxlat::scheduling {\nstd::uint8_t of(Shape s) { return s.corners; }\n}\n',
    "scheduling/src/named_shape.hpp": "namespace maxlat::scheduling {\nstruct Shape;\nint corners(const Shape&);  // std::vector\n}\n",
}

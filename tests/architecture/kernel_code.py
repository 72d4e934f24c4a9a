# SPDX-License-Identifier: MIT
"""What the kernel's own style asks of our modules: each function of a header has a kernel-doc comment that names it and
its parameters, and a file that prints says by pr_fmt which module it is. And of the house: one file asks for the kernel's
version. Functions that it lends to older kernels under the kernel's own names are not ours to describe."""
import re

FUNCTION = re.compile(r"^(?:static |inline |__always_inline )*(?:struct |unsigned |const )*\w+[ *]+((?:maxlat|hwlat|irqoff)_\w+)"
                      r"\(([^()]*)\)\s*[;{]", re.MULTILINE)
COMMENT = re.compile(r"^/\*\*\n \* (\w+)\(\) - (.*?)\*/", re.MULTILINE | re.DOTALL)


def is_kernel_code(path):
    """`path` counts from the root: kernel/..., hwlat/module/..., tracer/kernel/..."""
    return path.parts[0] == "kernel" or (len(path.parts) > 2 and path.parts[1] in ("module", "kernel"))


def parameters(text):
    return [re.findall(r"\w+", one)[-1] for one in text.split(",") if one.strip() not in ("", "void")]


def undocumented(text):
    comments = dict(COMMENT.findall(text))
    seen = set()
    for function in FUNCTION.finditer(text):
        name = function[1]
        if name in seen:  # the same for another processor
            continue
        seen.add(name)
        number = text.count("\n", 0, function.start()) + 1
        if name not in comments:
            yield number, f"{name}() has no kernel-doc comment (/** {name}() - ... */)"
            continue
        for parameter in parameters(function[2]):
            if f"\n * @{parameter}: " not in comments[name]:
                yield number, f"the comment of {name}() does not tell what {parameter} is"


def findings(name, text):
    if name.endswith(".h"):
        yield from undocumented(text)
    asking = re.search(r"\bLINUX_VERSION_CODE\b", text)
    if asking and name != "kernel_versions.h":
        yield text.count("\n", 0, asking.start()) + 1, "only kernel_versions.h asks for the kernel's version"
    printing = re.search(r"\bpr_(?:err|warn|info|notice|debug)\w*\(", text)
    if printing and "#define pr_fmt(fmt) KBUILD_MODNAME" not in text:
        yield text.count("\n", 0, printing.start()) + 1, "it prints without a pr_fmt that names the module"


BROKEN = {
    "kernel/include/maxlat/kernel/bare.h": "static inline int maxlat_bare(void)\n{\n}\n",
    "hwlat/module/parameter.h": "/**\n * hwlat_half() - half\n * @a: one\n */\nint hwlat_half(int a,\n\t       const char *b);\n",
    "npt/module/other.h": "/**\n * irqoff_old() - has a new name\n */\nstruct irqoff_file *irqoff_new(void);\n",
    "npt/module/version.c": "#if LINUX_VERSION_CODE < 3\n#endif\n",
    "hwlat/module/print.c": "void f(void)\n{\n\tpr_warn(\"hwlat: so\\n\");\n}\n",
}
SOUND = {
    "npt/module/told.h": "/**\n * irqoff_told() - told\n * @a: one\n * @b: two\n *\n * Return: 0.\n */\nint irqoff_told(u64 a, struct x **b);\n"
                         "#else\nstatic inline int irqoff_told(u64 a, struct x **b)\n{\n}\n",
    "kernel/include/maxlat/kernel/lent.h": "static inline void vm_flags_mod(int set)\n{\n}\n",
    "kernel/include/maxlat/kernel/kernel_versions.h": "#if LINUX_VERSION_CODE < 3\n#endif\n",
    "kernel/print.c": "#define pr_fmt(fmt) KBUILD_MODNAME \": \" fmt\nvoid f(void)\n{\n\tpr_warn(\"so\\n\");\n}\n",
}

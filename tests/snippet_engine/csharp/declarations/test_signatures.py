"""Parameter lists: equal signatures, however written, become equal text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.csharp.declarations.signatures import (
    loose_type,
    parameter_types,
    without_passing,
)


@pytest.mark.parametrize(
    ("written", "types"),
    [
        ("", ()),
        (" /* none */ ", ()),
        ("int", ("int",)),
        ("int a", ("int",)),
        ("  int\n a , string b", ("int", "string")),
        ("ref int a, out B b, in C c", ("ref int", "out B", "in C")),
        ("ref readonly int a", ("ref readonly int",)),
        ("this C self, params object[] rest", ("C", "object[]")),
        ("scoped ref Span<int> a", ("ref Span<int>",)),
        ("[In, Out(typeof(int[]))] ref int a", ("ref int",)),
        ("A.B<C, D<E>>? x, A<B>.C y", ("A.B<C,D<E>>?", "A<B>.C")),
        ("Dictionary < string , (int x, int y)[] > d", ("Dictionary<string,(int,int)[]>",)),
        ("(int a, string b) t, (int, string)[] u", ("(int,string)", "(int,string)[]")),
        ("int[] a, int[,] b, int?[] c", ("int[]", "int[,]", "int?[]")),
        ("int* p, void** q", ("int*", "void**")),
        ("delegate*<int, ref B, void> f", ("delegate*<int,ref B,void>",)),
        ("delegate* unmanaged[Cdecl]<void> f", ("delegate* unmanaged[Cdecl]<void>",)),
        ("delegate* managed<void> f", ("delegate*<void>",)),
        ("global::System.Int32 a, x::Y b", ("System.Int32", "x::Y")),
        ("@class @event", ("class",)),
        ("__arglist", ("__arglist",)),
        ("string s = \",)\", char c = ',', int i = 3", ("string", "char", "int")),
        ("A a = default(B<C, D>), int b = -1", ("A", "int")),
        ("int a, // first, of two\n int b", ("int", "int")),
    ],
)
def test_types_of_a_parameter_list(written: str, types: tuple[str, ...]) -> None:
    assert parameter_types(written) == types
    assert parameter_types(",".join(types)) == types


@pytest.mark.parametrize(
    "written",
    [",", "int,", "int,,int", "int a b", "(", ")", "A<B", "A>", "[A int", "=", "= 3", "+"],
)
def test_what_is_no_parameter_list(written: str) -> None:
    assert parameter_types(written) is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("int", "System.Int32"),
        ("float[]", "Single[]"),
        ("List<string>", "System.Collections.Generic.List<String>"),
        ("int?", "Nullable<int>"),
        ("float?", "System.Nullable<System.Single>"),
        ("string?", "string"),
        ("Vector3", "UnityEngine.Vector3"),
        ("(int,object)", "(Int32,System.Object)"),
    ],
)
def test_spellings_of_one_type_meet(left: str, right: str) -> None:
    assert loose_type(left) == loose_type(right)


@pytest.mark.parametrize(
    ("left", "right"), [("int", "uint"), ("int?", "int"), ("A[]", "A[,]"), ("A<B>", "A<C>")]
)
def test_different_types_do_not_meet(left: str, right: str) -> None:
    assert loose_type(left) != loose_type(right)


def test_passing() -> None:
    for modifier in ("", "ref ", "ref readonly ", "out ", "in "):
        assert without_passing(f"{modifier}int") == "int"
    assert without_passing("inner") == "inner"


TYPES = st.recursive(
    st.sampled_from(["int", "string", "A", "N.B", "@class", "var"]),
    lambda inner: st.one_of(
        st.builds("{}[]".format, inner),
        st.builds("{}?".format, inner),
        st.builds("G<{}>".format, inner),
        st.builds("N.G<{}, {}>".format, inner, inner),
        st.builds("({} x, {})".format, inner, inner),
    ),
    max_leaves=5,
)
PARAMETERS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "ref ", "out ", "this ", "params ", "[A] ", '[A(1, "]")] in ']),
    TYPES,
    st.sampled_from(["", " name", " @in", "\n\tname ", " name = 3", ' s = "a,)" + F(b, c)']),
)


@given(st.lists(PARAMETERS, max_size=5))
def test_a_list_is_the_types_of_its_parameters(parameters: list[str]) -> None:
    each = [parameter_types(one) for one in parameters]
    whole = parameter_types(", ".join(parameters))
    assert whole is not None
    assert None not in each
    assert whole == tuple(spelled for one in each if one is not None for spelled in one)
    assert parameter_types(",".join(whole)) == whole

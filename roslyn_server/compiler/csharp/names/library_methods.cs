// Find methods of components that only libraries have, without sources.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection.Metadata;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    internal static class LibraryMethods
    {
        // None of their components has a method that a project's animation calls.
        private static readonly string[] OfPlatform =
            { "UnityEngine", "UnityEditor", "System", "Microsoft.", "Mono.", "mscorlib", "netstandard" };

        /// <summary>
        /// Returns how many components of libraries have a method of a name. Private ones count, which
        /// no compilation shows.
        /// </summary>
        public static int Count(string name, IReadOnlyList<CSharpCompilation> compilations)
        {
            var projects = compilations.Select(each => each.AssemblyName).ToHashSet(StringComparer.OrdinalIgnoreCase);
            return compilations.SelectMany(each => each.SourceModule.ReferencedAssemblySymbols)
                .Where(each => !projects.Contains(each.Name)
                    && !OfPlatform.Any(one => each.Name.StartsWith(one, StringComparison.Ordinal)))
                .GroupBy(each => each.Name).Select(each => each.First())
                .Sum(each => DeclaringTypes(name, each).Distinct()
                    .Count(type => each.GetTypeByMetadataName(type) is { } found && UnityNames.MayBeObject(found)));
        }

        private static IEnumerable<string> DeclaringTypes(string name, IAssemblySymbol assembly)
        {
            if (!(assembly.GetMetadata() is { } metadata)) yield break;
            var reader = metadata.GetModules()[0].GetMetadataReader();
            foreach (var each in reader.MethodDefinitions.Select(reader.GetMethodDefinition))
                if (reader.StringComparer.Equals(each.Name, name)) yield return FullName(reader, each.GetDeclaringType());
        }

        private static string FullName(MetadataReader reader, TypeDefinitionHandle handle)
        {
            var type = reader.GetTypeDefinition(handle);
            var (space, name) = (reader.GetString(type.Namespace), reader.GetString(type.Name));
            if (type.GetDeclaringType() is { IsNil: false } outer) return $"{FullName(reader, outer)}+{name}";
            return space.Length > 0 ? $"{space}.{name}" : name;
        }
    }
}

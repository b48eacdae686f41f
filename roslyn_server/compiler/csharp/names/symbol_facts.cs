// Describe a symbol by what its name is used for outside of C#.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    internal static class SymbolFacts
    {
        public static Dictionary<string, object> Of(ReferenceSearch search, LinesOf lines, CancellationToken token)
        {
            var symbol = search.Symbol;
            return new Dictionary<string, object>
            {
                ["name"] = SymbolFamily.NameOf(symbol),
                ["display"] = symbol.ToDisplayString(),
            };
        }
    }
}

// Roslyn's messages as text that Python accepts.
using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    internal static class Messages
    {
        /// <summary>Returns a message on one line.</summary>
        /// <remarks>
        /// Older compilers quote half of a misplaced emoji, which no Python string can be made
        /// from.
        /// </remarks>
        internal static string OneLine(Diagnostic each)
        {
            var message = each.GetMessage(CultureInfo.InvariantCulture);
            var whole = Encoding.Unicode.GetString(Encoding.Unicode.GetBytes(message));
            return whole.Replace('\r', ' ').Replace('\n', ' ');
        }
    }
}

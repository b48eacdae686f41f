// What Roslyn says of an error, as text that Python takes.
using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    internal static class Messages
    {
        /// <summary>A message on one line.</summary>
        /// <remarks>
        /// Of an emoji where none can stand, older compilers quote half, which no string of Python's
        /// can be made from.
        /// </remarks>
        internal static string OneLine(Diagnostic each)
        {
            var message = each.GetMessage(CultureInfo.InvariantCulture);
            var whole = Encoding.Unicode.GetString(Encoding.Unicode.GetBytes(message));
            return whole.Replace('\r', ' ').Replace('\n', ' ');
        }
    }
}

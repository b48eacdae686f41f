using System;
using System.Globalization;
using System.Text;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Numbers and texts as one string, for <c>SessionState</c>. Each text follows its length, so nothing is
    /// escaped and nothing needs parsing: a domain reload must not wait for a JSON library. Texts are
    /// cleaned, because Unity's strings end at a NUL and can't hold unpaired surrogates, so they would come
    /// back shorter than their length.
    /// </summary>
    internal sealed class FieldWriter
    {
        public const char Separator = ' ';

        private readonly StringBuilder _text = new StringBuilder();

        public void Add(long value) => _text.Append(value.ToString(CultureInfo.InvariantCulture)).Append(Separator);

        public void Add(bool value) => Add(value ? 1 : 0);

        public void Add(string value)
        {
            Add(value == null ? -1 : value.Length);
            if (value != null)
            {
                // Characters are replaced one by one, so the length stays.
                _text.Append(ConsoleText.Clean(value));
            }
        }

        public override string ToString() => _text.ToString();
    }

    /// <summary>Reads what <see cref="FieldWriter"/> wrote, field by field.</summary>
    internal sealed class FieldReader
    {
        private readonly string _text;
        private int _at;

        public FieldReader(string text) => _text = text ?? "";

        /// <exception cref="FormatException">The next field is no number.</exception>
        public long Number()
        {
            var end = _text.IndexOf(FieldWriter.Separator, _at);
            if (end < 0 || !long.TryParse(
                _text.Substring(_at, end - _at), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value))
            {
                throw new FormatException("A number was expected.");
            }

            _at = end + 1;
            return value;
        }

        /// <exception cref="FormatException">The next field is no valid count.</exception>
        public int Count(int most)
        {
            var count = Number();
            return count >= 0 && count <= most ? (int)count : throw new FormatException("A count was expected.");
        }

        /// <exception cref="FormatException">The next field is no flag.</exception>
        public bool Flag() => Number() != 0;

        /// <exception cref="FormatException">The next field is no text.</exception>
        public string Text()
        {
            var length = Number();
            if (length == -1)
            {
                return null;
            }

            if (length < 0 || length > _text.Length - _at)
            {
                throw new FormatException("A text was expected.");
            }

            var value = _text.Substring(_at, (int)length);
            _at += (int)length;
            return value;
        }
    }
}

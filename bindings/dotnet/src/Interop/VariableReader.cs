using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace MerchantPay.Interop
{
    /// <summary>Reads settings from environment variables. An empty variable is treated as absent. An error names
    /// the variable, never its value.</summary>
    internal sealed class VariableReader
    {
        internal string Text(string variable)
        {
            var text = Environment.GetEnvironmentVariable(variable);
            return string.IsNullOrEmpty(text) ? null : text;
        }

        /// <summary>The key in the variable; if the variable is not set, the key in the file that the variable with the suffix _FILE names.</summary>
        internal string PrivateKey(string variable)
        {
            var key = Text(variable);
            var file = Text(variable + "_FILE");
            if (key != null || file == null) return key;
            RefuseLeftover(variable + "_FILE", file);
            try
            {
                return File.ReadAllText(file).Trim();
            }
            catch (Exception e) when (e is IOException || e is UnauthorizedAccessException || e is ArgumentException || e is NotSupportedException)
            {
                throw Failure.InvalidArgument("the file that " + variable + "_FILE names cannot be read", e);
            }
        }

        internal void Add(string variable, IList<string> to)
        {
            foreach (var text in (Text(variable) ?? "").Split(','))
            {
                if (text.Trim().Length > 0) to.Add(text.Trim());
            }
        }

        /// <summary>Names what an environment file left in a value that the library does not get as a text.</summary>
        private static void RefuseLeftover(string variable, string text)
        {
            if (text.EndsWith("\r", StringComparison.Ordinal)) throw Failure.InvalidArgument(variable + " ends with CR: the file has Windows line ends");
            var first = text[0];
            var isQuoted = text.Length > 1 && first == text[text.Length - 1] && (first == '"' || first == '\'');
            if (isQuoted) throw Failure.InvalidArgument(variable + " is wrapped in quotes; remove them");
        }

        internal bool? Flag(string variable)
        {
            var text = Text(variable);
            if (text != null) RefuseLeftover(variable, text);
            switch (text)
            {
                case null: return null;
                case "0": return false;
                case "1": return true;
                default: throw Failure.InvalidArgument(variable + " must be 1 or 0");
            }
        }

        internal long? Bytes(string variable)
        {
            var text = Text(variable);
            long number;
            if (text == null) return null;
            RefuseLeftover(variable, text);
            if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number)) throw Failure.InvalidArgument(variable + " must be a whole number");
            return number;
        }

        internal int? Number(string variable)
        {
            var number = Bytes(variable);
            if (number > int.MaxValue) throw Failure.InvalidArgument(variable + " is too large");
            return (int?)number;
        }

        internal TimeSpan? Milliseconds(string variable)
        {
            var number = Bytes(variable);
            if (number > uint.MaxValue) throw Failure.InvalidArgument(variable + " is too large");
            return number == null ? (TimeSpan?)null : TimeSpan.FromMilliseconds(number.Value);
        }
    }
}

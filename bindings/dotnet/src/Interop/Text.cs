using System;
using System.Collections.Generic;
using System.Text;

namespace MerchantPay.Interop
{
    /// <summary>Converts texts between .NET (UTF-16) and C (UTF-8 with a NUL at the end).</summary>
    internal static class Text
    {
        // This encoding throws an exception for half of a surrogate pair.
        private static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        internal static byte[] In(string text, string name)
        {
            string fault;
            var bytes = Encoded(text, out fault);
            if (fault != null) throw Failure.InvalidArgument(name + " " + fault);
            return bytes;
        }

        /// <summary>Converts a received text. A text that cannot be passed to C does not come from the service, so it does not verify.</summary>
        internal static byte[] Received(string text, string name)
        {
            string fault;
            var bytes = Encoded(text, out fault);
            if (fault != null) throw Failure.Unverified(name + " " + fault);
            return bytes;
        }

        /// <summary>Converts a received text for an explanation. The character U+FFFD replaces a text that cannot be passed to C.</summary>
        internal static byte[] Shown(string text)
        {
            string fault;
            var bytes = Encoded(text, out fault);
            return fault == null ? bytes : Encoded("\uFFFD", out fault);
        }

        private static byte[] Encoded(string text, out string fault)
        {
            fault = null;
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0) fault = "must not contain NUL";
            try
            {
                var bytes = new byte[Strict.GetByteCount(text) + 1];
                Strict.GetBytes(text, 0, text.Length, bytes, 0);
                return bytes;
            }
            catch (EncoderFallbackException)
            {
                fault = "must be valid Unicode; it contains a lone surrogate";
                return null;
            }
        }

        internal static unsafe string Out(IntPtr text)
        {
            if (text == IntPtr.Zero) return null;
            var start = (byte*)text;
            var length = 0;
            while (start[length] != 0) length++;
            return Utf8(start, length);
        }

        internal static unsafe string Utf8(byte* start, int length)
        {
            return length == 0 ? "" : Encoding.UTF8.GetString(start, length);
        }

        internal static string Of(IReadOnlyDictionary<string, string> fields, string name)
        {
            string text;
            return fields.TryGetValue(name, out text) ? text : null;
        }
    }
}

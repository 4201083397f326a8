using System;
using System.Collections.Generic;
using System.Text;

namespace MerchantPay.Interop
{
    /// <summary>Texts between .NET, where they are UTF-16, and C, where they are UTF-8 and end with NUL.</summary>
    internal static class Text
    {
        // The encoding throws for a lone surrogate.
        private static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        internal static byte[] In(string text, string name)
        {
            string fault;
            var bytes = Encoded(text, out fault);
            if (fault != null) throw Failure.InvalidArgument(name + " " + fault);
            return bytes;
        }

        /// <summary>A received text. A text that C cannot take does not come from the service.</summary>
        internal static byte[] Received(string text, string name)
        {
            string fault;
            var bytes = Encoded(text, out fault);
            if (fault != null) throw Failure.Unverified(name + " " + fault);
            return bytes;
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

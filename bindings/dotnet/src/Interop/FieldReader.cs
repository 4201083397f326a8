using System;
using System.Collections.Generic;
using System.Globalization;

namespace MerchantPay.Interop
{
    /// <summary>Reads the fields that the library returns together. A NUL separates two fields, and the byte 0xFF means an absent field.</summary>
    internal sealed unsafe class FieldReader
    {
        private const byte Absent = 0xFF;
        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        private byte* at;
        private readonly byte* end;

        internal FieldReader(IntPtr start, UIntPtr length)
        {
            at = (byte*)start;
            end = at + checked((int)length);
        }

        internal bool HasMore { get { return at <= end; } }

        internal string Next()
        {
            if (at > end) return null;
            var start = at;
            while (at < end && *at != 0) at++;
            var length = (int)(at - start);
            at++;
            return length == 1 && *start == Absent ? null : Text.Utf8(start, length);
        }

        internal decimal? Sum() { return Sums.Read(Next()); }

        internal bool Flag() { return Next() == "1"; }

        internal int Number() { return checked((int)Long()); }

        internal long Long()
        {
            var text = Next();
            return text == null ? 0 : long.Parse(text, NumberStyles.None, CultureInfo.InvariantCulture);
        }

        internal static long MillisecondsOf(DateTime time) { return (time - Epoch).Ticks / TimeSpan.TicksPerMillisecond; }

        internal DateTime? Time()
        {
            var milliseconds = Long();
            return milliseconds == 0 ? (DateTime?)null : Epoch.AddMilliseconds(milliseconds);
        }

        /// <summary>The reasons for attention. A reason that this version does not know is left out; only the entry's JSON has it.</summary>
        internal static IReadOnlyList<Attention> ReasonsOf(string names)
        {
            var reasons = new List<Attention>();
            foreach (var name in (names ?? "").Split(','))
            {
                var reason = WordNames.Attention(name);
                if (reason != null) reasons.Add(reason.Value);
            }
            return reasons;
        }
    }
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace MerchantPay.Interop
{
    /// <summary>A value of a frame, or a whole reply: its place in the bytes of the reply. An absent value has a negative length.</summary>
    internal struct Value
    {
        internal static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        private readonly byte[] bytes;
        private readonly int start;
        private readonly int length;

        internal Value(byte[] bytes, int start, int length)
        {
            this.bytes = bytes;
            this.start = start;
            this.length = length;
        }

        internal static Value Of(string text)
        {
            var bytes = text == null ? null : Encoding.UTF8.GetBytes(text);
            return new Value(bytes, 0, bytes == null ? -1 : bytes.Length);
        }

        internal bool IsAbsent { get { return length < 0; } }

        internal string Text() { return IsAbsent ? null : Encoding.UTF8.GetString(bytes, start, length); }

        internal byte[] Bytes()
        {
            if (IsAbsent) return null;
            var copy = new byte[length];
            Buffer.BlockCopy(bytes, start, copy, 0, length);
            return copy;
        }

        internal bool Flag() { return length == 1 && bytes[start] == '1'; }

        /// <summary>A number that is too large for its type is the largest one.</summary>
        internal long? LongNumber()
        {
            if (IsAbsent) return null;
            long number;
            return long.TryParse(Text(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number) ? number : long.MaxValue;
        }

        internal int? Number() { return (int?)Limited(int.MaxValue); }

        internal TimeSpan? Milliseconds()
        {
            var number = Limited(long.MaxValue / TimeSpan.TicksPerMillisecond);
            return number == null ? (TimeSpan?)null : TimeSpan.FromTicks(number.Value * TimeSpan.TicksPerMillisecond);
        }

        internal DateTime? Time()
        {
            var number = LongNumber();
            return number == null ? (DateTime?)null : Epoch.AddMilliseconds(number.Value);
        }

        internal decimal? Amount()
        {
            const NumberStyles style = NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign;
            return IsAbsent ? (decimal?)null : decimal.Parse(Text(), style, CultureInfo.InvariantCulture);
        }

        internal Handle Handle() { return new Handle(BitConverter.ToUInt64(bytes, start)); }

        internal FrameReader Frame() { return new FrameReader(bytes, start, length); }

        /// <summary>A record; null if it is absent. A result that is absent has no bytes.</summary>
        internal T Record<T>(Func<FrameReader, T> read) where T : class { return length <= 0 ? null : read(Frame()); }

        /// <summary>An absent list is empty.</summary>
        internal IReadOnlyList<T> List<T>(Func<Value, T> read)
        {
            var items = new List<T>();
            for (var frame = Frame(); frame.HasMore;) items.Add(read(frame.Next()));
            return items;
        }

        internal IReadOnlyList<KeyValuePair<string, string>> Pairs()
        {
            var pairs = new List<KeyValuePair<string, string>>();
            for (var frame = Frame(); frame.HasMore;) pairs.Add(new KeyValuePair<string, string>(frame.Next().Text(), frame.Next().Text()));
            return pairs;
        }

        private long? Limited(long most)
        {
            var number = LongNumber();
            return number > most ? most : number;
        }
    }

    /// <summary>Reads the values of a frame in their order. A value behind the end is absent: an older library sends fewer.</summary>
    internal sealed class FrameReader
    {
        private const int IntSize = 4;

        private readonly byte[] bytes;
        private int place;
        private int left;
        private int at;

        internal FrameReader(byte[] bytes, int start, int length)
        {
            this.bytes = bytes;
            left = length < IntSize ? 0 : BitConverter.ToInt32(bytes, start);
            place = start + IntSize;
            at = place + IntSize * left;
        }

        internal bool HasMore { get { return left > 0; } }

        internal Value Next()
        {
            if (!HasMore) return new Value(null, 0, -1);
            var length = BitConverter.ToInt32(bytes, place);
            var value = new Value(bytes, at, length);
            left--;
            place += IntSize;
            at += Math.Max(0, length);
            return value;
        }
    }
}

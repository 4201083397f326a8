using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace MerchantPay.Interop
{
    /// <summary>
    /// Writes a frame: a count, the lengths of the values, and their bytes. docs/c-abi-description.md has the format. A null is absent, and
    /// so is a value that is not added.
    /// </summary>
    internal sealed class FrameWriter
    {
        private const int IntSize = 4, Absent = -1, Bulk = -2;

        // No text of UTF-8 has this byte, so the library names the argument that has half of a surrogate pair.
        private const byte NoUtf8 = 0xFF;
        private static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        private byte[] bytes;
        private int place = IntSize;
        private int end;

        internal FrameWriter(int count)
        {
            end = IntSize * (count + 1);
            bytes = new byte[Math.Max(256, end)];
            Put(0, count);
            for (var at = IntSize; at < end; at += IntSize) Put(at, Absent);
        }

        /// <summary>The frame is at the beginning of these bytes, which can be more.</summary>
        internal byte[] Bytes { get { return bytes; } }

        internal int Length { get { return end; } }

        internal void Add(string text)
        {
            if (text == null)
            {
                place += IntSize;
                return;
            }
            Reserve(Utf8.GetMaxByteCount(text.Length));
            var length = 1;
            try
            {
                length = Utf8.GetBytes(text, 0, text.Length, bytes, end);
            }
            catch (EncoderFallbackException)
            {
                bytes[end] = NoUtf8;
            }
            Added(length);
        }

        internal void Add(long? number) { Add(number == null ? null : number.Value.ToString(CultureInfo.InvariantCulture)); }

        /// <summary>The type decimal holds every amount of the library, with its number of decimals.</summary>
        internal void Add(decimal? amount) { Add(amount == null ? null : amount.Value.ToString(CultureInfo.InvariantCulture)); }

        internal void Add(TimeSpan? time) { Add(time == null ? (long?)null : (long)Math.Ceiling(time.Value.TotalMilliseconds)); }

        internal void Add(DateTime? time) { Add(time == null ? (long?)null : (time.Value - Value.Epoch).Ticks / TimeSpan.TicksPerMillisecond); }

        internal void Add(Handle handle)
        {
            Reserve(sizeof(ulong));
            Buffer.BlockCopy(BitConverter.GetBytes(handle.Number), 0, bytes, end, sizeof(ulong));
            Added(sizeof(ulong));
        }

        internal void Add(IReadOnlyList<string> texts) { Add(texts == null ? null : Of(texts)); }

        internal void Add(IEnumerable<KeyValuePair<string, string>> pairs) { Add(Of(pairs)); }

        internal static FrameWriter Of(IEnumerable<KeyValuePair<string, string>> pairs)
        {
            var texts = new List<string>();
            foreach (var pair in pairs)
            {
                texts.Add(pair.Key);
                texts.Add(pair.Value);
            }
            return Of(texts);
        }

        internal static FrameWriter Of(IReadOnlyList<string> texts)
        {
            var list = new FrameWriter(texts.Count);
            foreach (var text in texts) list.Add(text);
            return list;
        }

        /// <summary>Adds a record or a list, and wipes it: it may have a key.</summary>
        internal void Add(FrameWriter frame)
        {
            if (frame == null)
            {
                Add((string)null);
                return;
            }
            Reserve(frame.end);
            Buffer.BlockCopy(frame.bytes, 0, bytes, end, frame.end);
            Added(frame.end);
            frame.Wipe();
        }

        /// <summary>Adds the bytes that are passed beside the frame.</summary>
        internal void AddBulk()
        {
            Put(place, Bulk);
            place += IntSize;
        }

        internal void Wipe() { Array.Clear(bytes, 0, bytes.Length); }

        private void Added(int length)
        {
            Put(place, length);
            place += IntSize;
            end += length;
        }

        private void Reserve(int room)
        {
            if (bytes.Length - end >= room) return;
            var old = bytes;
            bytes = new byte[Math.Max(2 * old.Length, checked(end + room))];
            Buffer.BlockCopy(old, 0, bytes, 0, end);
            Array.Clear(old, 0, old.Length);
        }

        private unsafe void Put(int at, int number)
        {
            fixed (byte* start = bytes) *(int*)(start + at) = number;
        }
    }
}

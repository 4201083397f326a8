using System;
using System.Collections.Generic;
using System.Globalization;

namespace MerchantPay.Interop
{
    internal delegate int Setter(byte[] name, byte[] text, out ErrorHandle error);

    /// <summary>Passes settings to the library by their names, and leaves out settings that are null. The library checks each value.</summary>
    internal sealed class SettingWriter
    {
        private readonly Setter setter;

        internal SettingWriter(Setter setter) { this.setter = setter; }

        internal void Set(string name, string property, string text)
        {
            if (text == null) return;
            // Replaces each NUL in a key by a question mark, because the library refuses a key with a question mark.
            if (name.EndsWith("_key", StringComparison.Ordinal)) text = text.Replace('\0', '?');
            var bytes = Text.In(text, property);
            try
            {
                ErrorHandle error;
                var code = setter(Text.In(name, name), bytes, out error);
                Failure.Check(code, error);
            }
            finally
            {
                Array.Clear(bytes, 0, bytes.Length); // The bytes may be a key.
            }
        }

        internal void Set(string name, string property, IList<string> texts)
        {
            foreach (var text in texts) Set(name, property, text);
        }

        internal void Set(string name, string property, bool? flag)
        {
            if (flag != null) Set(name, property, flag.Value ? "1" : "0");
        }

        internal void Set(string name, string property, long? number)
        {
            if (number != null) Set(name, property, number.Value.ToString(CultureInfo.InvariantCulture));
        }

        internal void Set(string name, string property, TimeSpan? time)
        {
            if (time != null) Set(name, property, (long)Math.Ceiling(time.Value.TotalMilliseconds));
        }
    }

    /// <summary>Passes the fields of a request to the library.</summary>
    internal sealed class RequestWriter
    {
        private readonly PaymentRequestHandle request;

        internal RequestWriter()
        {
            request = Library.Loaded(() => Native.mpay_payment_request_new());
        }

        /// <summary>Sets a field. The call that uses the request reports an invalid value, as in every language.</summary>
        internal void Set(string name, string property, string text)
        {
            if (text == null) return;
            ErrorHandle error;
            Native.mpay_payment_request_set(request, Text.In(name, name), Text.In(text, property), out error);
            error.Dispose();
        }

        internal PaymentRequestHandle Done() { return request; }
    }

    internal static class Milliseconds
    {
        internal static uint Of(TimeSpan time, string name)
        {
            var milliseconds = Math.Ceiling(time.TotalMilliseconds);
            if (milliseconds < 0 || milliseconds > uint.MaxValue)
                throw Failure.InvalidArgument(name + " must be from 0 to " + uint.MaxValue + " milliseconds");
            return (uint)milliseconds;
        }
    }
}

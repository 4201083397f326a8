using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;
using System.Text;
using MerchantPay;

/// <summary>A command that C# cannot express.</summary>
internal sealed class CannotException : Exception
{
    internal CannotException(string message) : base(message) { }
}

/// <summary>Converts a command's values for the library, and its results for the protocol.</summary>
internal static class Values
{
    internal static byte[] Bytes(string hex)
    {
        var bytes = new byte[hex.Length / 2];
        for (var index = 0; index < bytes.Length; index++) bytes[index] = byte.Parse(hex.Substring(2 * index, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        return bytes;
    }

    internal static string Hex(byte[] bytes) { return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant(); }

    internal static Dictionary<string, object> Object(Dictionary<string, object> from, string name) { return (Dictionary<string, object>)from[name]; }

    internal static string Text(Dictionary<string, object> from, string name)
    {
        object value;
        return from.TryGetValue(name, out value) ? TextOf(value) : null;
    }

    internal static long Number(Dictionary<string, object> from, string name, long absent)
    {
        object value;
        return from.TryGetValue(name, out value) && value != null ? (long)value : absent;
    }

    private static string TextOf(object value)
    {
        if (value is Dictionary<string, object>) throw new CannotException("a text that is not UTF-8");
        return (string)value;
    }

    internal static string Pascal(string name)
    {
        var pascal = new StringBuilder();
        foreach (var word in name.Split('_')) pascal.Append(char.ToUpperInvariant(word[0])).Append(word.Substring(1));
        return pascal.ToString();
    }

    /// <summary>Sets properties by their names in the definition, as a program would.</summary>
    internal static T Set<T>(T options, Dictionary<string, object> settings)
    {
        foreach (var setting in settings)
        {
            var name = Pascal(setting.Key.EndsWith("_ms", StringComparison.Ordinal) ? setting.Key.Substring(0, setting.Key.Length - 3) : setting.Key);
            var property = typeof(T).GetProperty(name) ?? typeof(T).GetProperty(name + "s");
            if (property == null) throw new InvalidOperationException("there is no property " + name);
            if (!property.CanWrite) Add((IList<string>)property.GetValue(options, null), setting.Value);
            else property.SetValue(options, Typed(property.PropertyType, TextOf(setting.Value)), null);
        }
        return options;
    }

    private static void Add(IList<string> to, object value)
    {
        foreach (var text in value is List<object> ? (List<object>)value : new List<object> { value }) to.Add(TextOf(text));
    }

    private static object Typed(Type type, string text)
    {
        if (text == null || type == typeof(string)) return text;
        if (type == typeof(bool?)) return text == "1" ? true : text == "0" ? false : throw new CannotException("a flag that is neither");
        long number;
        if (type == typeof(decimal?)) return Sum(text);
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number)) throw new CannotException("a number that is none");
        if (type == typeof(TimeSpan?)) return TimeSpan.FromMilliseconds(number);
        return type == typeof(int?) ? (object)checked((int)number) : number;
    }

    /// <summary>Converts a text to a decimal. A decimal cannot express a text that is not a number, or that has too many
    /// digits.</summary>
    private static object Sum(string text)
    {
        decimal sum;
        const NumberStyles style = NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign;
        if (!decimal.TryParse(text, style, CultureInfo.InvariantCulture, out sum) || sum.ToString(CultureInfo.InvariantCulture) != text)
            throw new CannotException("a sum that is no decimal");
        return sum;
    }

    internal static Receipt Receipt(Dictionary<string, object> arguments)
    {
        var receipt = new Receipt(Text(arguments, "order_id"));
        foreach (Dictionary<string, object> file in (List<object>)arguments["files"])
        {
            receipt.Files.Add(file.ContainsKey("path")
                ? ReceiptFile.FromPath(Text(file, "path"))
                : new ReceiptFile(Text(file, "name"), Text(file, "content_type"), Bytes(Text(file, "data"))));
        }
        return receipt;
    }

    /// <summary>The fields of a payment by their snake-case names; the status is its name.</summary>
    internal static Dictionary<string, object> Fields(Payment payment)
    {
        var fields = new Dictionary<string, object>();
        foreach (var property in typeof(Payment).GetProperties(BindingFlags.Public | BindingFlags.Instance))
        {
            if (property.Name == "Status" || property.Name == "IsFinal" || property.Name == "Json") continue;
            var value = property.GetValue(payment, null);
            if (value != null) fields[property.Name == "StatusName" ? "status" : Snake(property.Name)] = Convert.ToString(value, CultureInfo.InvariantCulture);
        }
        return fields;
    }

    internal static string Snake(string name)
    {
        var snake = new StringBuilder();
        foreach (var letter in name)
        {
            if (char.IsUpper(letter) && snake.Length > 0) snake.Append('_');
            snake.Append(char.ToLowerInvariant(letter));
        }
        return snake.ToString();
    }

    internal static Dictionary<string, object> Result(Payment payment)
    {
        return new Dictionary<string, object>
        {
            { "payment", Fields(payment) }, { "final", payment.IsFinal }, { "known", payment.Status != null }, { "json", payment.Json },
        };
    }

    internal static Dictionary<string, object> Result(AvailableAmounts amounts)
    {
        var texts = new List<object>();
        foreach (var amount in amounts.Amounts) texts.Add(amount.ToString(CultureInfo.InvariantCulture));
        return new Dictionary<string, object> { { "amounts", texts }, { "other_amounts_possible", amounts.OtherAmountsPossible }, { "json", amounts.Json } };
    }

    internal static Dictionary<string, object> Error(MerchantPayException error)
    {
        var fields = new Dictionary<string, object> { { "code", error.CodeName }, { "outcome", error.OutcomeName }, { "is_transient", error.IsTransient } };
        Put(fields, "description", error.Description);
        Put(fields, "reason", error.ReasonName);
        Put(fields, "order_id", error.OrderId);
        Put(fields, "content_type", error.ContentType);
        Put(fields, "excerpt", error.Excerpt);
        Put(fields, "http_status", error.HttpStatus);
        if (error.RetryAfter != null) Put(fields, "retry_after_ms", (long)error.RetryAfter.Value.TotalMilliseconds);
        Put(fields, "body", error.Body == null ? null : Hex(error.Body));
        return fields;
    }

    internal static void Put(Dictionary<string, object> to, string name, object value)
    {
        if (value != null) to[name] = value;
    }
}

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Runtime.ExceptionServices;
using System.Text.RegularExpressions;
using System.Threading;
using MerchantPay;
using Fields = System.Collections.Generic.Dictionary<string, object>;

/// <summary>A command that C# cannot express.</summary>
internal sealed class CannotException : Exception
{
    internal CannotException(string message) : base(message) { }
}

/// <summary>Methods and properties by the names of the definition.</summary>
internal static class Values
{
    private const string Unit = "_ms";
    private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    /// <summary>The entries that were returned, by their numbers.</summary>
    internal static readonly List<Entry> Entries = new List<Entry>();

    internal static byte[] Bytes(string hex)
    {
        return Enumerable.Range(0, hex.Length / 2).Select(index => byte.Parse(hex.Substring(2 * index, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture)).ToArray();
    }

    internal static string Hex(byte[] bytes) { return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant(); }

    internal static T Of<T>(this Fields from, string name)
    {
        object value;
        return from.TryGetValue(name, out value) && value != null ? (T)value : default(T);
    }

    internal static string Pascal(string name) { return Regex.Replace(name, "(^|_)([a-z])", word => word.Groups[2].Value.ToUpperInvariant()); }

    internal static string Snake(string name) { return Regex.Replace(name, "(?<!^)[A-Z]", "_$0").ToLowerInvariant(); }

    /// <summary>Calls the overload that has the most of the given arguments. The others are absent, or have their defaults.</summary>
    internal static object Invoke(object on, string name, Fields given, CancellationToken token = default(CancellationToken))
    {
        var method = on.GetType().GetMethods().Where(one => one.Name == Pascal(name)).OrderBy(one => one.GetParameters().Count(parameter => Given(parameter.Name, given) != null)).LastOrDefault();
        if (method == null) throw new InvalidOperationException("there is no method " + Pascal(name));
        return Unwrapped(() => method.Invoke(on, method.GetParameters().Select(parameter => Argument(parameter, given, token)).ToArray()));
    }

    /// <summary>Reflection wraps what the library throws.</summary>
    internal static T Unwrapped<T>(Func<T> call)
    {
        try
        {
            return call();
        }
        catch (TargetInvocationException e)
        {
            ExceptionDispatchInfo.Capture(e.InnerException).Throw();
            throw;
        }
    }

    private static object Argument(ParameterInfo parameter, Fields given, CancellationToken token)
    {
        if (parameter.ParameterType == typeof(CancellationToken)) return token;
        if (parameter.Name == "request") return Set(Activator.CreateInstance(parameter.ParameterType), given.Of<Fields>("request") ?? given);
        if (parameter.Name == "receipt") return Receipt(given);
        var value = Given(parameter.Name, given);
        return value != null ? Typed(parameter.ParameterType, value) : parameter.IsOptional ? parameter.DefaultValue : null;
    }

    private static object Given(string name, Fields given) { return given.Of<object>(Snake(name)) ?? given.Of<object>(Snake(name) + Unit); }

    internal static T Set<T>(T options, Fields settings)
    {
        foreach (var setting in settings)
        {
            var name = Pascal(setting.Key.EndsWith(Unit, StringComparison.Ordinal) ? setting.Key.Remove(setting.Key.Length - Unit.Length) : setting.Key);
            var property = options.GetType().GetProperty(name) ?? options.GetType().GetProperty(name + "s");
            if (property == null) throw new InvalidOperationException("there is no property " + name);
            if (property.CanWrite) property.SetValue(options, Typed(property.PropertyType, setting.Value), null);
            else Replace((IList<string>)property.GetValue(options, null), setting.Value);
        }
        return options;
    }

    private static void Replace(IList<string> list, object value)
    {
        list.Clear();
        foreach (var text in value as List<object> ?? new List<object> { value }) list.Add((string)Typed(typeof(string), text));
    }

    private static object Typed(Type type, object value)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (value == null || type.IsInstanceOfType(value)) return value;
        if (type == typeof(Entry)) return Entries[(int)(long)value];
        if (value is List<object>) return ((List<object>)value).Cast<List<object>>().Select(pair => new KeyValuePair<string, string>((string)pair[0], (string)pair[1])).ToArray();
        if (value is Fields) throw new CannotException("a text that is not UTF-8");
        var text = Convert.ToString(value, CultureInfo.InvariantCulture);
        if (type == typeof(byte[])) return Bytes(text);
        if (type == typeof(decimal)) return Sum(text);
        if (type == typeof(bool)) return text == "1" || (text == "0" ? false : throw new CannotException("a flag that is neither"));
        if (type.IsEnum) return Enum.Parse(type, Pascal(text));
        long number;
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number)) throw new CannotException("a number that is none");
        if (type == typeof(TimeSpan)) return TimeSpan.FromMilliseconds(number);
        if (type == typeof(int) && number != (int)number) throw new CannotException("a number that an int cannot hold");
        return Convert.ChangeType(number, type, CultureInfo.InvariantCulture);
    }

    /// <summary>A decimal cannot express a text that is not a number, or that has too many digits.</summary>
    private static object Sum(string text)
    {
        decimal sum;
        const NumberStyles style = NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign;
        if (!decimal.TryParse(text, style, CultureInfo.InvariantCulture, out sum) || sum.ToString(CultureInfo.InvariantCulture) != text)
            throw new CannotException("a sum that is no decimal");
        return sum;
    }

    private static Receipt Receipt(Fields arguments)
    {
        var receipt = new Receipt((string)Typed(typeof(string), arguments.Of<object>("order_id")));
        foreach (Fields file in arguments.Of<List<object>>("files"))
            receipt.Files.Add(file.ContainsKey("path") ? ReceiptFile.FromPath(file.Of<string>("path")) : new ReceiptFile(file.Of<string>("name"), file.Of<string>("content_type"), Bytes(file.Of<string>("data"))));
        return receipt;
    }

    /// <summary>The properties that are present by their names in snake case. A word is its name: Code is what CodeName says.</summary>
    internal static Fields Shown(object of, params string[] without)
    {
        var shown = new Fields();
        foreach (var property in of.GetType().GetProperties())
        {
            var isName = property.Name.EndsWith("Name", StringComparison.Ordinal) && of.GetType().GetProperty(property.Name.Replace("Name", "")) != null;
            if (without.Contains(property.Name) || !isName && of.GetType().GetProperty(property.Name + "Name") != null) continue;
            var value = property.GetValue(of, null);
            var name = Snake(isName ? property.Name.Replace("Name", "") : property.Name);
            if (value != null) shown[value is TimeSpan ? name + Unit : name] = Plain(value);
        }
        return shown;
    }

    private static object Plain(object value)
    {
        if (value is bool || value is string || value is int || value is long) return value;
        if (value is Enum) return Convert.ToInt32(value, CultureInfo.InvariantCulture);
        if (value is decimal) return ((decimal)value).ToString(CultureInfo.InvariantCulture);
        if (value is TimeSpan) return (long)((TimeSpan)value).TotalMilliseconds;
        if (value is DateTime) return (long)((DateTime)value - Epoch).TotalMilliseconds;
        if (value is byte[]) return Hex((byte[])value);
        if (value is IEnumerable) return ((IEnumerable)value).Cast<object>().Select(Plain).ToList();
        return Shown(value, "IsFinal", "Json");
    }
}

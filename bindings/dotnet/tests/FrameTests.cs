using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using MerchantPay;
using Fields = System.Collections.Generic.Dictionary<string, object>;

/// <summary>
/// Tests that each value of a frame is where include/merchantpay.json says: each argument of each call, and each field of each record. Every
/// value is another.
/// </summary>
internal static class FrameTests
{
    private const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
    private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private static readonly Fields Abi = Json.Object(File.ReadAllText("include/merchantpay.json"));

    public static void EveryArgumentIsWrittenToItsPlace()
    {
        foreach (var call in Rows(Abi, "calls"))
        {
            var method = Internal("Calls").GetMethod(((string)call["on"] == "journal" ? "Journal" : "") + Pascal(call["name"]), All);
            if (method.IsGenericMethod) method = method.MakeGenericMethod(typeof(object));
            var names = method.GetParameters().Select(parameter => parameter.Name).ToList();
            var given = method.GetParameters().Select((parameter, place) => Sample(parameter.ParameterType, place + 1)).ToArray();
            var command = method.Invoke(null, given);
            Check.Equal(call["number"].ToString(), Of(command, "number").ToString());
            var bulk = (byte[])Of(command, "bulk");
            var parts = Parts(Of(command, "args"));
            var arguments = Rows(call, "arguments");
            for (var place = 0; place < arguments.Count; place++)
            {
                var name = Pascal(arguments[place]["name"]);
                Check.Equal(char.ToLowerInvariant(name[0]) + name.Substring(1), names[place]);
                if (given[place] is byte[]) Check.Equal(Written(given[place]), Encoding.UTF8.GetString(bulk));
                else if (given[place] is string || !(given[place] is IEnumerable) && given[place].GetType() != Internal("FrameWriter")) Check.Equal(Written(given[place]), parts[place]);
                else Check.True(parts[place].EndsWith("text " + (place + 1), StringComparison.Ordinal), call["name"] + " has " + name);
            }
            Check.Equal(arguments.Count, parts.Count);
        }
    }

    public static void EveryFieldOfARequestIsWrittenToItsPlace()
    {
        var fields = Rows(Rows(Abi, "records").Single(record => (string)record["name"] == "request"), "fields");
        foreach (var request in new object[] { new PaymentRequest(), new AmountsRequest() })
        {
            var expected = fields.Select((field, place) =>
            {
                var property = request.GetType().GetProperty(Pascal(field["name"]));
                if (property == null) return null;
                property.SetValue(request, Sample(property.PropertyType, place + 1), null);
                return Written(property.GetValue(request, null));
            }).ToArray();
            Check.Equal(string.Join(",", expected), string.Join(",", Parts(request.GetType().GetMethod("Frame", All).Invoke(request, null))));
        }
        var position = Internal("Calls").GetMethod("Position", All).Invoke(null, new object[] { Epoch.AddMilliseconds(1), "text 2" });
        Check.Equal("1,text 2", string.Join(",", Parts(position)));
    }

    public static void EveryFieldOfARecordIsReadFromItsPlace()
    {
        foreach (var record in Rows(Abi, "records").Where(record => (string)record["name"] != "request" && (string)record["name"] != "position"))
        {
            var frame = Filled((string)record["name"], 1);
            var reader = Activator.CreateInstance(Internal("FrameReader"), All, null, new object[] { frame, 0, frame.Length }, null);
            Compare(record, Constructor((string)record["name"]).Invoke(new[] { reader }), 1);
        }
    }

    public static void EveryCodeHasAnExceptionOfItsOwn()
    {
        foreach (var word in Rows(Rows(Abi, "lists").Single(list => (string)list["name"] == "Code"), "words"))
        {
            var frame = Frame(Encoding.UTF8.GetBytes(word["number"].ToString()), Encoding.UTF8.GetBytes((string)word["name"]));
            var reader = Activator.CreateInstance(Internal("FrameReader"), All, null, new object[] { frame, 0, frame.Length }, null);
            var made = Internal("Failure").GetMethod("Exception", All).Invoke(null, new[] { Constructor("error").Invoke(new[] { reader }), null });
            // .NET has a TimeoutException, and a cancellation is an OperationCanceledException.
            var name = ((string)word["name"]).Replace("timeout", "request_timeout").Replace("cancelled", "payment_cancelled");
            Check.Equal(Pascal(name) + "Exception", made.GetType().Name);
        }
    }

    private static void Compare(Fields record, object read, int first)
    {
        var fields = Rows(record, "fields");
        for (var place = 0; place < fields.Count; place++)
        {
            var name = Pascal(fields[place]["name"]);
            var property = new[] { name + "Name", name + "Names", name, name + "Note", name.Replace("Available", "") }.Select(one => read.GetType().GetProperty(one, All)).First(one => one != null);
            var value = property.GetValue(read, null);
            if (IsRecord(fields[place])) Compare(Rows(Abi, "records").Single(one => one["name"].Equals(fields[place]["of"])), value, 10 * (first + place));
            else if (value is bool) Check.Equal(true, value);
            else Check.Equal(Text(fields[place], first + place), Written(value).Replace("name,", ""));
        }
    }

    private static bool IsRecord(Fields field) { return (string)field["kind"] == "record"; }

    /// <summary>A frame of a record, whose values have the numbers from the first.</summary>
    private static byte[] Filled(string record, int first)
    {
        var fields = Rows(Rows(Abi, "records").Single(one => (string)one["name"] == record), "fields");
        return Frame(fields.Select((field, place) =>
        {
            var text = Text(field, first + place);
            if (IsRecord(field)) return Filled((string)field["of"], 10 * (first + place));
            if ((string)field["kind"] == "pairs") return Frame(Encoding.UTF8.GetBytes("name"), Encoding.UTF8.GetBytes(text));
            return (bool)field["list"] ? Frame(Encoding.UTF8.GetBytes(text)) : Encoding.UTF8.GetBytes(text);
        }).ToArray());
    }

    private static string Text(Fields field, int number)
    {
        switch ((string)field["kind"])
        {
            case "flag": return "1";
            case "handle": return (char)number + new string('\0', 7);
            case "text": case "word": case "pairs": case "bytes": return "text " + number;
            default: return number.ToString(CultureInfo.InvariantCulture);
        }
    }

    private static byte[] Frame(params byte[][] parts)
    {
        var lengths = new[] { parts.Length }.Concat(parts.Select(part => part.Length));
        return lengths.SelectMany(BitConverter.GetBytes).Concat(parts.SelectMany(part => part)).ToArray();
    }

    /// <summary>The values of a written frame; null for one that is absent.</summary>
    private static List<string> Parts(object frame)
    {
        var bytes = (byte[])Of(frame, "Bytes");
        var count = BitConverter.ToInt32(bytes, 0);
        var parts = new List<string>();
        var at = 4 * (count + 1);
        for (var place = 0; place < count; place++)
        {
            var length = BitConverter.ToInt32(bytes, 4 * (place + 1));
            parts.Add(length < 0 ? null : Encoding.UTF8.GetString(bytes, at, length));
            at += Math.Max(0, length);
        }
        Check.Equal(at, (int)Of(frame, "Length"));
        return parts;
    }

    private static object Sample(Type type, int number)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        var texts = new[] { "text " + number };
        var pairs = new[] { new KeyValuePair<string, string>("name", "text " + number) };
        if (type == typeof(string)) return texts[0];
        if (type == typeof(byte[])) return Encoding.UTF8.GetBytes(texts[0]);
        if (type == typeof(TimeSpan)) return TimeSpan.FromMilliseconds(number);
        if (type.IsEnum) return Enum.GetValues(type).GetValue(number % Enum.GetValues(type).Length);
        if (type == Internal("Handle")) return Activator.CreateInstance(type, All, null, new object[] { (ulong)number }, null);
        if (type == Internal("FrameWriter")) return type.GetMethod("Of", All, null, new[] { typeof(IReadOnlyList<string>) }, null).Invoke(null, new object[] { texts });
        if (type.IsInstanceOfType(texts)) return texts;
        if (type.IsInstanceOfType(pairs)) return pairs;
        return typeof(IConvertible).IsAssignableFrom(type) ? Convert.ChangeType(number, type, CultureInfo.InvariantCulture) : null;
    }

    /// <summary>A value as a frame has it.</summary>
    private static string Written(object value)
    {
        if (value is byte[]) return Encoding.UTF8.GetString((byte[])value);
        if (value is TimeSpan) return Written(((TimeSpan)value).TotalMilliseconds);
        if (value is DateTime) return Written(((DateTime)value - Epoch).TotalMilliseconds);
        if (value is Enum) return (string)Rows(Abi, "lists").Where(list => (string)list["name"] == value.GetType().Name).SelectMany(list => Rows(list, "words")).Single(word => (long)word["number"] == (int)value)["name"];
        if (value is KeyValuePair<string, string>) return "name," + ((KeyValuePair<string, string>)value).Value;
        if (value is IEnumerable && !(value is string)) return string.Join(",", ((IEnumerable)value).Cast<object>().Select(Written));
        if (value != null && value.GetType() == Internal("Handle"))
        {
            GC.SuppressFinalize(value); // It is no object of the library.
            return Encoding.UTF8.GetString(BitConverter.GetBytes((ulong)Of(value, "Number")));
        }
        return Convert.ToString(value, CultureInfo.InvariantCulture);
    }

    private static ConstructorInfo Constructor(string record)
    {
        var names = new[] { Pascal(record), Pascal(record) + "Record", "Available" + Pascal(record), "Journal" + Pascal(record), "EntryError" };
        var found = names.SelectMany(name => typeof(Protocol).Assembly.GetTypes().Where(type => type.Name == name));
        return found.Select(type => type.GetConstructor(All, null, new[] { Internal("FrameReader") }, null)).First(one => one != null);
    }

    private static Type Internal(string name) { return typeof(Protocol).Assembly.GetType("MerchantPay.Interop." + name, true); }

    private static object Of(object from, string name)
    {
        var field = from.GetType().GetField(name, All);
        return field != null ? field.GetValue(from) : from.GetType().GetProperty(name, All).GetValue(from, null);
    }

    private static List<Fields> Rows(Fields from, string name) { return ((List<object>)from[name]).Cast<Fields>().ToList(); }

    /// <summary>The name in C#, where a duration has no unit.</summary>
    private static string Pascal(object name)
    {
        return string.Concat(((string)name).Split('_').Where(word => word != "ms").Select(word => char.ToUpperInvariant(word[0]) + word.Substring(1)));
    }
}

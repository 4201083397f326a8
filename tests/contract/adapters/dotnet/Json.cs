using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Fields = System.Collections.Generic.Dictionary<string, object>;

/// <summary>JSON as dictionaries, lists, texts, numbers and flags: neither platform includes a parser.</summary>
internal sealed class Json
{
    // Commas and colons separate, and say nothing more.
    private static readonly Regex Token = new Regex(@"""(?:[^""\\]|\\.)*""|[-+.\w]+|[\[\]{}]");

    private Match token;

    internal static Fields Object(string text) { return (Fields)new Json { token = Token.Match(text) }.Value(); }

    private string Next()
    {
        var text = token.Value;
        token = token.NextMatch();
        return text;
    }

    private object Value()
    {
        var text = Next();
        switch (text[0])
        {
            case '{':
                var members = new Fields();
                while (token.Value != "}") members[Unquoted(Next())] = Value();
                Next();
                return members;
            case '[':
                var items = new List<object>();
                while (token.Value != "]") items.Add(Value());
                Next();
                return items;
            case '"': return Unquoted(text);
            case 't': return true;
            case 'f': return false;
            case 'n': return null;
            default: return long.Parse(text, CultureInfo.InvariantCulture);
        }
    }

    private static string Unquoted(string token) { return Regex.Unescape(token.Substring(1, token.Length - 2)); }

    internal static string Write(object value)
    {
        if (value == null) return "null";
        if (value is bool) return (bool)value ? "true" : "false";
        if (value is string) return Quoted((string)value);
        if (value is Fields) return "{" + string.Join(",", ((Fields)value).Select(member => Quoted(member.Key) + ":" + Write(member.Value))) + "}";
        if (value is IEnumerable) return "[" + string.Join(",", ((IEnumerable)value).Cast<object>().Select(Write)) + "]";
        return Convert.ToString(value, CultureInfo.InvariantCulture);
    }

    private static string Quoted(string text)
    {
        return "\"" + Regex.Replace(text, @"[^ !#-\[\]-~]", letter => "\\u" + ((int)letter.Value[0]).ToString("x4", CultureInfo.InvariantCulture)) + "\"";
    }
}

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

/// <summary>JSON as dictionaries, lists, texts, numbers and flags: neither platform includes a
/// parser.</summary>
internal sealed class Json
{
    private readonly string text;
    private int at;

    private Json(string text) { this.text = text; }

    internal static Dictionary<string, object> Object(string text) { return (Dictionary<string, object>)new Json(text).Value(); }

    private char Peek()
    {
        while (char.IsWhiteSpace(text[at])) at++;
        return text[at];
    }

    private object Value()
    {
        switch (Peek())
        {
            case '{': return Members();
            case '[': return Items();
            case '"': return String();
            case 't': return Word("true", true);
            case 'f': return Word("false", false);
            case 'n': return Word("null", null);
            default: return Number();
        }
    }

    private object Word(string word, object value)
    {
        at += word.Length;
        return value;
    }

    private object Number()
    {
        var start = at;
        while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0) at++;
        return long.Parse(text.Substring(start, at - start), CultureInfo.InvariantCulture);
    }

    private Dictionary<string, object> Members()
    {
        var members = new Dictionary<string, object>();
        for (at++; Peek() != '}';)
        {
            if (Peek() == ',') at++;
            Peek();
            var name = String();
            if (Peek() != ':') throw new FormatException("there is no colon at " + at);
            at++;
            members[name] = Value();
        }
        at++;
        return members;
    }

    private List<object> Items()
    {
        var items = new List<object>();
        for (at++; Peek() != ']';)
        {
            if (Peek() == ',') at++;
            items.Add(Value());
        }
        at++;
        return items;
    }

    private string String()
    {
        var read = new StringBuilder();
        for (at++; text[at] != '"'; at++)
        {
            if (text[at] != '\\')
            {
                read.Append(text[at]);
                continue;
            }
            at++;
            if (text[at] == 'u')
            {
                read.Append((char)ushort.Parse(text.Substring(at + 1, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
                at += 4;
            }
            else read.Append("\"\\/\b\f\n\r\t"["\"\\/bfnrt".IndexOf(text[at])]);
        }
        at++;
        return read.ToString();
    }

    internal static string Write(object value)
    {
        var written = new StringBuilder();
        Write(value, written);
        return written.ToString();
    }

    private static void Write(object value, StringBuilder to)
    {
        if (value == null) to.Append("null");
        else if (value is string) Quote((string)value, to);
        else if (value is bool) to.Append((bool)value ? "true" : "false");
        else if (value is IDictionary<string, object>)
        {
            var mark = '{';
            foreach (var member in (IDictionary<string, object>)value)
            {
                to.Append(mark);
                Quote(member.Key, to);
                to.Append(':');
                Write(member.Value, to);
                mark = ',';
            }
            to.Append(mark == '{' ? "{}" : "}");
        }
        else if (value is System.Collections.IEnumerable)
        {
            var mark = '[';
            foreach (var item in (System.Collections.IEnumerable)value)
            {
                to.Append(mark);
                Write(item, to);
                mark = ',';
            }
            to.Append(mark == '[' ? "[]" : "]");
        }
        else to.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
    }

    private static void Quote(string text, StringBuilder to)
    {
        to.Append('"');
        foreach (var letter in text)
        {
            if (letter == '"' || letter == '\\') to.Append('\\').Append(letter);
            else if (letter < ' ' || letter > '~') to.Append("\\u").Append(((int)letter).ToString("x4", CultureInfo.InvariantCulture));
            else to.Append(letter);
        }
        to.Append('"');
    }
}

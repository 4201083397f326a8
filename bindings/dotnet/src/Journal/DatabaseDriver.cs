using System;
using System.Collections;
using System.Data;
using System.Data.Common;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace MerchantPay.Interop
{
    /// <summary>
    /// The way in which a provider of ADO.NET writes parameters and reports errors. The assembly depends on no provider. It recognises
    /// providers by their names, and reads properties that the exceptions of several providers have in common.
    /// </summary>
    internal sealed class DatabaseDriver
    {
        private const int PlaceholdersQuestion = 1;
        private const int PlaceholdersNumbered = 2;

        private static readonly Regex Passwords = new Regex(@"(?i)(\b(?:password|pwd)\s*=\s*)(?:'[^']*'|""[^""]*""|\{[^}]*\}|[^;\s]+)");

        private readonly string name;

        internal DatabaseDriver(DbConnection connection) { name = connection.GetType().FullName; }

        internal int Placeholders { get { return name.StartsWith("Npgsql.", StringComparison.Ordinal) ? PlaceholdersNumbered : PlaceholdersQuestion; } }

        internal Dialect DialectOf(DbConnection connection)
        {
            if (name.StartsWith("Npgsql.", StringComparison.Ordinal)) return Dialect.Postgresql;
            if (name.StartsWith("MySql", StringComparison.Ordinal)) return Dialect.Mysql;
            using (var command = connection.CreateCommand())
            {
                command.CommandText = "SELECT version()";
                var version = Convert.ToString(command.ExecuteScalar(), CultureInfo.InvariantCulture);
                return version.StartsWith("PostgreSQL", StringComparison.Ordinal) ? Dialect.Postgresql : Dialect.Mysql;
            }
        }

        internal void Add(DbCommand command, string text)
        {
            var parameter = command.CreateParameter();
            parameter.DbType = DbType.String;
            parameter.Value = (object)text ?? DBNull.Value;
            command.Parameters.Add(parameter);
        }

        internal static string TextOf(DbDataReader reader, int column)
        {
            if (reader.IsDBNull(column)) return null;
            var value = reader.GetValue(column);
            var bytes = value as byte[];
            return bytes != null ? Encoding.UTF8.GetString(bytes) : Convert.ToString(value, CultureInfo.InvariantCulture);
        }

        /// <summary>Returns the effect of a statement after an exception. The effect is unclear unless the exception contains the
        /// server's answer.</summary>
        internal int Classify(Exception exception)
        {
            for (var each = exception; each != null; each = each.InnerException)
            {
                var first = First(Property(each, "Errors") as IEnumerable) ?? each;
                var number = Property(first, "NativeError") ?? Property(first, "Number");
                var state = (Property(first, "SQLState") ?? Property(first, "SqlState")) as string;
                if (number is int && IsMySql(first)) return OfCode(Dialect.Mysql, ((int)number).ToString(CultureInfo.InvariantCulture));
                if (state != null) return OfCode(Dialect.Postgresql, state);
            }
            return Native.MPAY_DATABASE_UNCLEAR;
        }

        /// <summary>True if the error has one of MySQL's error numbers. ODBC's states are too general for MySQL, so the number decides.</summary>
        private bool IsMySql(object error)
        {
            if (name.StartsWith("MySql", StringComparison.Ordinal)) return true;
            var source = Convert.ToString(Property(error, "Message"), CultureInfo.InvariantCulture);
            return source.IndexOf("ma-", StringComparison.Ordinal) >= 0 || source.IndexOf("MySQL", StringComparison.OrdinalIgnoreCase) >= 0
                || source.IndexOf("MariaDB", StringComparison.OrdinalIgnoreCase) >= 0;
        }

        private static int OfCode(Dialect dialect, string code) { return Native.mpay_database_failure((int)dialect, Text.In(code, "code")); }

        private static object First(IEnumerable errors)
        {
            if (errors == null) return null;
            foreach (var each in errors) return each;
            return null;
        }

        private static object Property(object of, string property)
        {
            var found = of.GetType().GetProperty(property);
            return found == null || found.GetIndexParameters().Length > 0 ? null : found.GetValue(of, null);
        }

        /// <summary>The provider's error text as one line, without a password.</summary>
        internal static string Message(Exception exception)
        {
            return Passwords.Replace(Regex.Replace(exception.Message, @"\s+", " "), "$1…");
        }
    }
}

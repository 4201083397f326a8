using System;
using System.Data.Common;
using MerchantPay;

/// <summary>Acknowledges and ships in one transaction of ADO.NET. The journal is in the database of the connection.</summary>
internal static class Acknowledge
{
    // [act]
    /// <summary>The style is Style.At for Npgsql and MySqlConnector, and Style.Question for ODBC. Returns whether the entry was acknowledged.</summary>
    public static bool Act(DbConnection database, Entry entry, Style style, Action<DbTransaction> ship)
    {
        using (var transaction = database.BeginTransaction())
        using (var command = database.CreateCommand())
        {
            var statement = entry.AcknowledgeSql(style);
            command.Transaction = transaction;
            command.CommandText = statement.Text;
            foreach (var each in statement.Parameters)
            {
                var parameter = command.CreateParameter();
                parameter.ParameterName = each.Key;
                parameter.Value = each.Value;
                command.Parameters.Add(parameter);
            }
            if (command.ExecuteNonQuery() == 0) return false; // Another worker was first, or there are newer news.
            if (entry.Succeeded) ship(transaction);
            transaction.Commit();
            return true;
        }
    }
    // [/act]
}

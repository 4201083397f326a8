using System;
using System.Data.Common;
using System.Data.Odbc;
using MerchantPay;

/// <summary>Tests that an acknowledgement belongs to a transaction of ADO.NET, on the servers that with-databases starts.</summary>
internal static class DatabaseTests
{
    private static readonly string Name = "dotnet_" + Guid.NewGuid().ToString("N");

    public static void AcknowledgementIsRolledBackWithItsTransactionOnPostgresql()
    {
        var host = Environment.GetEnvironmentVariable("MERCHANTPAY_POSTGRESQL");
        var dsn = "Driver=PostgreSQL Unicode;Servername=" + host + ";Port=5432;UID=shop;Database=";
        Run(dsn + "postgres", "CREATE DATABASE " + Name + " TEMPLATE template0");
        Acknowledge(dsn + Name, "postgresql:///" + Name + "?user=shop&host=" + host);
    }

    public static void AcknowledgementIsRolledBackWithItsTransactionOnMariaDb()
    {
        var socket = Environment.GetEnvironmentVariable("MERCHANTPAY_MARIADB");
        var dsn = "Driver=MariaDB Unicode;SOCKET=" + socket + ";UID=root;DATABASE=";
        Run(dsn + "mysql", "CREATE DATABASE " + Name + " CHARACTER SET utf8mb4");
        Acknowledge(dsn + Name, "mysql://root@localhost/" + Name + "?socket=" + socket);
    }

    private static void Acknowledge(string dsn, string place)
    {
        using (var client = Make.Client())
        using (var journal = new Journal(client, new JournalOptions { Place = place, Create = true }))
        using (var connection = Opened(dsn))
        {
            journal.Pay("заказ-1", Make.Request());
            var entry = journal.News()[0];
            using (var transaction = connection.BeginTransaction())
            {
                Check.Equal(1, Execute(transaction, entry));
                transaction.Rollback();
            }
            Check.Equal(false, journal.Find("заказ-1").Acknowledged);
            using (var transaction = connection.BeginTransaction())
            {
                Check.Equal(1, Execute(transaction, entry));
                transaction.Commit();
            }
            Check.Equal(true, journal.Find("заказ-1").Acknowledged);
            using (var transaction = connection.BeginTransaction()) Check.Equal(0, Execute(transaction, entry));
        }
    }

    private static int Execute(DbTransaction transaction, Entry entry)
    {
        using (var command = transaction.Connection.CreateCommand())
        {
            var statement = entry.AcknowledgeSql(Style.Question);
            command.Transaction = transaction;
            command.CommandText = statement.Text;
            foreach (var each in statement.Parameters)
            {
                var parameter = command.CreateParameter();
                parameter.ParameterName = each.Key;
                parameter.Value = each.Value;
                command.Parameters.Add(parameter);
            }
            return command.ExecuteNonQuery();
        }
    }

    private static DbConnection Opened(string dsn)
    {
        var connection = new OdbcConnection(dsn);
        connection.Open();
        return connection;
    }

    private static void Run(string dsn, string sql)
    {
        using (var connection = Opened(dsn))
        using (var command = connection.CreateCommand())
        {
            command.CommandText = sql;
            command.ExecuteNonQuery();
        }
    }
}

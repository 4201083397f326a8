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
        AcknowledgeOnce(dsn + Name, "postgresql:///" + Name + "?user=shop&host=" + host);
    }

    public static void AcknowledgementIsRolledBackWithItsTransactionOnMariaDb()
    {
        var socket = Environment.GetEnvironmentVariable("MERCHANTPAY_MARIADB");
        var dsn = "Driver=MariaDB Unicode;SOCKET=" + socket + ";UID=root;DATABASE=";
        Run(dsn + "mysql", "CREATE DATABASE " + Name + " CHARACTER SET utf8mb4");
        AcknowledgeOnce(dsn + Name, "mysql://root@localhost/" + Name + "?socket=" + socket);
    }

    private static void AcknowledgeOnce(string dsn, string place)
    {
        using (var client = Make.Client())
        using (var journal = new Journal(client, new JournalOptions { Place = place, Create = true }))
        using (var connection = Opened(dsn))
        {
            journal.Confirm(journal.Pay("заказ-1", Make.Request()));
            journal.Wait("заказ-1", TimeSpan.FromMinutes(1), Until.Final);
            var entry = journal.News()[0];
            try
            {
                Acknowledge.Act(connection, entry, Style.Question, transaction => { throw new InvalidOperationException("not shipped"); });
                Check.True(false, "the shop's exception passes");
            }
            catch (InvalidOperationException e) { Check.Equal("not shipped", e.Message); }
            Check.Equal(false, journal.Find("заказ-1").Acknowledged);
            var shipped = 0;
            Check.Equal(true, Acknowledge.Act(connection, entry, Style.Question, transaction => shipped++));
            Check.Equal(false, Acknowledge.Act(connection, entry, Style.Question, transaction => shipped++));
            Check.Equal(1, shipped);
            Check.Equal(true, journal.Find("заказ-1").Acknowledged);
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

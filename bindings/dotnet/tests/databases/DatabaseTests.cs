using System;
using System.Collections.Generic;
using System.Data.Common;
using System.Data.Odbc;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using MerchantPay;

/// <summary>Tests the journal over ODBC, on the servers that with-databases starts. tests/contract has the cases that all languages share.</summary>
public static class DatabaseTests
{
    public static void AnAcknowledgementBelongsToTheTransaction()
    {
        foreach (var server in Server.All())
        {
            using (var client = Make.Client())
            using (var journal = new Journal(client, new JournalOptions { Database = server.Open, Create = true }))
            {
                server.Run("CREATE TABLE shipped (reference VARCHAR(40) NOT NULL)");
                Shop.Pay(journal, "order-1");
                var entry = journal.News(10, TimeSpan.FromMilliseconds(1))[0];
                using (var connection = server.Opened())
                {
                    using (var transaction = connection.BeginTransaction())
                    {
                        Check.Equal(true, journal.Acknowledge(entry, transaction));
                        Shop.Ship(connection, transaction, entry.Reference);
                        transaction.Rollback();
                    }
                    Check.Equal(0, server.Count("shipped"));
                    using (var transaction = connection.BeginTransaction())
                    {
                        Check.Equal(true, journal.Acknowledge(entry, transaction));
                        Shop.Ship(connection, transaction, entry.Reference);
                        transaction.Commit();
                    }
                    using (var transaction = connection.BeginTransaction())
                    {
                        Check.Equal(Code.Conflict, Check.Throws<ConflictException>(() => journal.Acknowledge(entry, transaction)).Code);
                        transaction.Rollback();
                    }
                }
                Check.Equal(1, server.Count("shipped"));
                Check.Equal(0, journal.News(10, TimeSpan.FromMilliseconds(1)).Count);
                Check.Throws<ArgumentNullException>(() => journal.Acknowledge(entry, (DbTransaction)null));
            }
        }
    }

    public static void AShopThatIsKilledShipsEachOrderOnce()
    {
        foreach (var server in Server.All())
        {
            using (var client = Make.Client())
            using (var journal = new Journal(client, new JournalOptions { Database = server.Open, Create = true }))
            {
                server.Run("CREATE TABLE shipped (reference VARCHAR(40) NOT NULL)");
                for (var order = 1; order <= 4; order++) Shop.Pay(journal, "order-" + order);
                foreach (var point in Shop.Points) Check.True(Start(server, point) != 0, "the shop is killed at " + point);
                Check.Equal(0, Start(server, "never"));
                Check.Equal(4, server.Count("shipped"));
                Check.Equal(4, server.Count("(SELECT DISTINCT reference FROM shipped) AS orders"));
            }
        }
    }

    public static void ADatabaseThatCannotBeReachedIsStorageAndNothingIsSent()
    {
        Func<DbConnection> nowhere = () => new OdbcConnection("Driver=PostgreSQL Unicode;Servername=/nowhere;Database=none;PWD=secret-of-mine");
        using (var client = Make.Client())
        {
            Check.Throws<OdbcException>(() => new Journal(client, nowhere));
            var options = new JournalOptions { Database = nowhere, Dialect = Dialect.Postgresql, CheckLater = true };
            Check.Throws<OdbcException>(() => new Journal(client, options));
        }
        foreach (var server in Server.All())
        {
            using (var client = Make.Client())
            {
                // This database does not have the journal's tables.
                var error = Check.Throws<StorageException>(() => new Journal(client, server.Open));
                Check.Equal(Outcome.NotSent, error.Outcome);
                var isReachable = true;
                using (var journal = new Journal(client, new JournalOptions { Database = () => isReachable ? server.Open() : nowhere(), Create = true }))
                {
                    isReachable = false;
                    var lost = Check.Throws<StorageException>(() => journal.Pay("order-1", Make.Request()));
                    Check.Equal(Outcome.NotSent, lost.Outcome);
                    Check.True(lost.InnerException is OdbcException, "the cause is kept");
                    Check.True(!lost.Message.Contains("secret-of-mine"), "the message has no password");
                    isReachable = true;
                    Check.True(journal.Pay("order-1", Make.Request()).Credentials != null, "the payment is taken");
                }
            }
        }
    }

    public static void ALostConnectionThatTheCallOvercameIsNotTheCauseOfItsError()
    {
        foreach (var server in Server.All())
        {
            var isNextLost = false;
            Func<DbConnection> open = () =>
            {
                var connection = server.Open();
                if (isNextLost) server.Lose(connection);
                isNextLost = false;
                return connection;
            };
            using (var client = Make.Client())
            using (var journal = new Journal(client, new JournalOptions { Database = open, Create = true }))
            {
                isNextLost = true;
                var error = Check.Throws<InvalidArgumentException>(() => journal.Confirm("nobody", 1));
                Check.True(!isNextLost && error.InnerException == null, "the error has no cause");
            }
        }
    }

    private static int Start(Server server, string point)
    {
        var program = Assembly.GetExecutingAssembly().Location;
        var start = new ProcessStartInfo("mono", "\"" + program + "\" shop") { UseShellExecute = false };
        start.EnvironmentVariables["SHOP_DSN"] = server.Dsn;
        start.EnvironmentVariables["SHOP_KILLED"] = point;
        using (var process = Process.Start(start))
        {
            Check.True(process.WaitForExit((int)Check.Patience.TotalMilliseconds), "the shop ends");
            return process.ExitCode;
        }
    }
}

/// <summary>A separate database on one of the servers.</summary>
internal sealed class Server
{
    private Server(string dsn) { Dsn = dsn; }

    internal string Dsn { get; }

    internal static IEnumerable<Server> All()
    {
        var name = "dotnet_" + Guid.NewGuid().ToString("N");
        var postgresql = "Driver=PostgreSQL Unicode;Servername=" + Environment.GetEnvironmentVariable("MERCHANTPAY_POSTGRESQL") + ";Port=5432;UID=shop;Database=";
        new Server(postgresql + "postgres").Run("CREATE DATABASE " + name + " TEMPLATE template0");
        yield return new Server(postgresql + name);
        var mariadb = "Driver=MariaDB Unicode;SOCKET=" + Environment.GetEnvironmentVariable("MERCHANTPAY_MARIADB") + ";UID=root;DATABASE=";
        new Server(mariadb + "mysql").Run("CREATE DATABASE " + name + " CHARACTER SET utf8mb4");
        yield return new Server(mariadb + name);
    }

    internal DbConnection Open() { return new OdbcConnection(Dsn); }

    internal DbConnection Opened()
    {
        var connection = Open();
        connection.Open();
        return connection;
    }

    internal void Run(string sql)
    {
        using (var connection = Opened())
        using (var command = connection.CreateCommand())
        {
            command.CommandText = sql;
            command.ExecuteNonQuery();
        }
    }

    /// <summary>Makes the server end a connection. To the program the connection still looks open.</summary>
    internal void Lose(DbConnection connection)
    {
        var isPostgresql = Dsn.Contains("PostgreSQL");
        connection.Open();
        using (var command = connection.CreateCommand())
        {
            command.CommandText = isPostgresql ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()";
            var id = Convert.ToString(command.ExecuteScalar(), CultureInfo.InvariantCulture);
            Run(isPostgresql ? "SELECT pg_terminate_backend(" + id + ")" : "KILL " + id);
        }
    }

    internal int Count(string table)
    {
        using (var connection = Opened())
        using (var command = connection.CreateCommand())
        {
            command.CommandText = "SELECT COUNT(*) FROM " + table;
            return Convert.ToInt32(command.ExecuteScalar(), CultureInfo.InvariantCulture);
        }
    }
}

/// <summary>A worker that ships paid orders. It can be killed at each point of its transaction.</summary>
internal static class Shop
{
    internal static readonly string[] Points = { "acknowledged", "shipped", "committed" };

    internal static void Pay(Journal journal, string reference)
    {
        journal.Confirm(journal.Pay(reference, Make.Request()));
        Check.Equal(true, journal.Wait(reference, Check.Patience).Succeeded);
    }

    internal static void Ship(DbConnection connection, DbTransaction transaction, string reference)
    {
        using (var command = connection.CreateCommand())
        {
            command.Transaction = transaction;
            command.CommandText = "INSERT INTO shipped (reference) VALUES ('" + reference + "')";
            command.ExecuteNonQuery();
        }
    }

    internal static int Work()
    {
        var dsn = Environment.GetEnvironmentVariable("SHOP_DSN");
        using (var client = Make.Client())
        using (var journal = new Journal(client, () => new OdbcConnection(dsn)))
        using (var connection = new OdbcConnection(dsn))
        {
            connection.Open();
            for (;;)
            {
                var news = journal.News(1, TimeSpan.FromMilliseconds(1));
                if (news.Count == 0) return 0;
                using (var transaction = connection.BeginTransaction())
                {
                    journal.Acknowledge(news[0], transaction);
                    Die("acknowledged");
                    Ship(connection, transaction, news[0].Reference);
                    Die("shipped");
                    transaction.Commit();
                    Die("committed");
                }
            }
        }
    }

    private static void Die(string point)
    {
        if (Environment.GetEnvironmentVariable("SHOP_KILLED") == point) Process.GetCurrentProcess().Kill();
    }
}

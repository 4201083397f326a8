using System;
using System.Collections.Generic;
using System.Data;
using System.Data.Common;
using System.Runtime.InteropServices;
using System.Text;

namespace MerchantPay.Interop
{
    /// <summary>Runs a statement of the journal.</summary>
    internal interface IStatements
    {
        /// <summary>Returns MPAY_DATABASE_OK, MPAY_DATABASE_DUPLICATE, MPAY_DATABASE_UNCLEAR or MPAY_DATABASE_FAILED.</summary>
        int Run(string sql, string[] parameters, Rows rows);
    }

    /// <summary>The function that the library calls to reach the merchant's database. No exception leaves this function.</summary>
    internal static class DatabaseEntry
    {
        internal static readonly DatabaseCallback Run = OnStatement;

        private static int OnStatement(IntPtr userData, IntPtr sql, IntPtr parameters, UIntPtr count, IntPtr rows)
        {
            var result = Native.MPAY_DATABASE_UNCLEAR;
            var isDone = Callbacks.Guard(() =>
            {
                var texts = new string[checked((int)count)];
                for (var index = 0; index < texts.Length; index++) texts[index] = Text.Out(Marshal.ReadIntPtr(parameters, index * IntPtr.Size));
                result = Callbacks.Of<IStatements>(userData).Run(Text.Out(sql), texts, new Rows(rows));
            });
            return isDone ? result : Native.MPAY_DATABASE_UNCLEAR;
        }
    }

    /// <summary>Passes the result of a statement to the library.</summary>
    internal struct Rows
    {
        private readonly IntPtr rows;

        internal Rows(IntPtr rows) { this.rows = rows; }

        internal void Add(string[] values)
        {
            var pins = new GCHandle[values.Length];
            var pointers = new IntPtr[values.Length];
            try
            {
                for (var index = 0; index < values.Length; index++)
                {
                    if (values[index] == null) continue;
                    pins[index] = GCHandle.Alloc(Encoding.UTF8.GetBytes(values[index] + "\0"), GCHandleType.Pinned);
                    pointers[index] = pins[index].AddrOfPinnedObject();
                }
                Native.mpay_rows_add(rows, pointers, (UIntPtr)values.Length);
            }
            finally
            {
                foreach (var pin in pins)
                {
                    if (pin.IsAllocated) pin.Free();
                }
            }
        }

        internal void Affected(int count) { Native.mpay_rows_set_affected(rows, (ulong)Math.Max(count, 0)); }

        internal void Message(string text) { Native.mpay_rows_set_message(rows, Text.In(text.Replace('\0', ' '), "message")); }
    }

    /// <summary>Runs each statement on a separate connection, in autocommit.</summary>
    internal sealed class DatabaseStatements : IStatements
    {
        private readonly Func<DbConnection> open;

        internal DatabaseStatements(Func<DbConnection> open, Dialect? dialect)
        {
            this.open = open;
            using (var connection = Open())
            {
                Driver = new DatabaseDriver(connection);
                Dialect = dialect ?? Driver.DialectOf(connection);
            }
        }

        internal Dialect Dialect { get; }

        internal int Placeholders { get { return Driver.Placeholders; } }

        private DatabaseDriver Driver { get; }

        public int Run(string sql, string[] parameters, Rows rows)
        {
            var result = Try(sql, parameters, rows);
            // The connection may have been lost while it was idle. Repeating is safe for a statement that only reads.
            return result == Native.MPAY_DATABASE_UNCLEAR && Statement.Reads(sql) ? Try(sql, parameters, rows) : result;
        }

        private int Try(string sql, string[] parameters, Rows rows)
        {
            DbConnection connection;
            try
            {
                connection = Open();
            }
            catch (Exception e)
            {
                CallFrame.DatabaseCause = e;
                rows.Message(DatabaseDriver.Message(e));
                return Native.MPAY_DATABASE_FAILED; // Nothing was sent.
            }
            using (connection) return Statement.Run(Driver, connection, null, sql, parameters, rows);
        }

        private DbConnection Open()
        {
            var connection = open();
            if (connection == null) throw new InvalidOperationException("The function of the database returned null.");
            if (connection.State != ConnectionState.Open) connection.Open();
            return connection;
        }
    }

    /// <summary>Runs statements in the merchant's own transaction.</summary>
    internal sealed class TransactionStatements : IStatements
    {
        private readonly DbTransaction transaction;
        private readonly DatabaseDriver driver;

        internal TransactionStatements(DbTransaction transaction)
        {
            this.transaction = transaction;
            if (transaction.Connection == null) throw new InvalidOperationException("The transaction has ended.");
            driver = new DatabaseDriver(transaction.Connection);
        }

        public int Run(string sql, string[] parameters, Rows rows)
        {
            return Statement.Run(driver, transaction.Connection, transaction, sql, parameters, rows);
        }
    }

    internal static class Statement
    {
        internal static bool Reads(string sql) { return sql.StartsWith("SELECT ", StringComparison.Ordinal); }

        internal static int Run(DatabaseDriver driver, DbConnection connection, DbTransaction transaction, string sql, string[] parameters, Rows rows)
        {
            try
            {
                using (var command = connection.CreateCommand())
                {
                    command.Transaction = transaction;
                    command.CommandText = sql;
                    foreach (var text in parameters) driver.Add(command, text);
                    if (Reads(sql)) Read(command, rows);
                    else rows.Affected(command.ExecuteNonQuery());
                }
                return Native.MPAY_DATABASE_OK;
            }
            catch (Exception e)
            {
                CallFrame.DatabaseCause = e;
                rows.Message(DatabaseDriver.Message(e));
                return driver.Classify(e);
            }
        }

        /// <summary>Passes the rows to the library only after all rows were read, so that a failed statement has no rows.</summary>
        private static void Read(DbCommand command, Rows rows)
        {
            var all = new List<string[]>();
            using (var reader = command.ExecuteReader())
            {
                while (reader.Read())
                {
                    var row = new string[reader.FieldCount];
                    for (var index = 0; index < row.Length; index++) row[index] = DatabaseDriver.TextOf(reader, index);
                    all.Add(row);
                }
            }
            foreach (var row in all) rows.Add(row);
        }
    }
}

using System;
using System.Data.Common;

namespace MerchantPay
{
    /// <summary>The place of a journal (a file or a database), and its settings. A setting that is null has the library's default.</summary>
    public sealed partial class JournalOptions
    {
        /// <summary>
        /// Makes connections to the merchant's own database, in place of File. Each statement opens a connection, uses it in autocommit,
        /// and disposes it; the provider's pool keeps the connection for the next statement. The command merchantpay journal schema prints the
        /// tables that the database must have.
        /// </summary>
        public Func<DbConnection> Database { get; set; }

        /// <summary>The SQL dialect of the database. If it is null, the journal asks the database.</summary>
        public Dialect? Dialect { get; set; }

        /// <summary>Checks the database when the first attempt is read, not when the journal is opened.</summary>
        public bool CheckLater { get; set; }
    }
}

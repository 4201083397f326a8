using System;
using System.Data.Common;

namespace MerchantPay
{
    /// <summary>Where a journal is, and its settings. For a setting that is null the library uses its default.</summary>
    public sealed partial class JournalOptions
    {
        /// <summary>
        /// Connections to the merchant's own database, in place of File. Each statement opens one, in autocommit, and disposes
        /// it: the provider's pool keeps it. The tables are those of the command merchantpay journal schema.
        /// </summary>
        public Func<DbConnection> Database { get; set; }

        /// <summary>The dialect of the database; null asks the database for it.</summary>
        public Dialect? Dialect { get; set; }

        /// <summary>Checks the database when the first attempt is read, not when the journal is opened.</summary>
        public bool CheckLater { get; set; }
    }
}

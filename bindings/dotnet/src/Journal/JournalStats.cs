using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>The counts of a journal. Since 0.3.0.</summary>
    public sealed class JournalStats
    {
        internal JournalStats(StatsHandle stats)
        {
            var counts = new Dictionary<Standing, long>();
            foreach (var standing in new[] { Standing.Sending, Standing.Unknown, Standing.Open }) counts[standing] = (long)Native.mpay_stats_count(stats, (int)standing);
            Counts = counts;
            Attention = (long)Native.mpay_stats_attention(stats);
            Due = (long)Native.mpay_stats_due(stats);
            Overdue = TimeSpan.FromMilliseconds(Native.mpay_stats_overdue_ms(stats));
            News = (long)Native.mpay_stats_news(stats);
            PauseNote = Text.Out(Native.mpay_stats_pause_note(stats));
            Json = Text.Out(Native.mpay_stats_json(stats));
        }

        /// <summary>The attempts that are sending, unknown or open. The others are not counted, because their number only grows.</summary>
        public IReadOnlyDictionary<Standing, long> Counts { get; }

        /// <summary>The number of items that need a person: attempts and orphans.</summary>
        public long Attention { get; }

        /// <summary>The number of attempts that Settle can process now.</summary>
        public long Due { get; }

        /// <summary>The time since the oldest due attempt became due.</summary>
        public TimeSpan Overdue { get; }

        /// <summary>The number of entries with news that nobody has acknowledged. Since 0.4.0.</summary>
        public long News { get; }

        /// <summary>The note of the operator who paused the journal; null if the journal is not paused.</summary>
        public string PauseNote { get; }

        /// <summary>All counts as JSON.</summary>
        public string Json { get; }
    }
}

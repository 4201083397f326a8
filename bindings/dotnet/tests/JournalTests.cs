using System;
using System.Threading;
using MerchantPay;

/// <summary>Tests C#'s own types of the journal, with a journal in a file. tests/contract has the cases that all languages share.</summary>
internal static class JournalTests
{
    public static void EntryIsAValueThatOutlivesItsJournal()
    {
        Entry entry = null;
        Make.WithJournal(journal => entry = journal.Pay("заказ-1", Make.Request()));
        Check.Equal("заказ-1", entry.Reference);
        Check.Equal(1500.50m, entry.SumAsked.Value);
        Check.Equal(Standing.Open, entry.Standing.Value);
        Check.Equal("open", entry.StandingName);
        Check.True(entry.Credentials.PayeeAccount != null && entry.CreatedAt.Value.Kind == DateTimeKind.Utc, "there are credentials and a time");
        Check.True(!entry.ToString().Contains(entry.Credentials.PayeeAccount), "ToString shows no account");
    }

    public static void AsyncMethodsAndPagesWork()
    {
        Make.WithJournal(journal =>
        {
            var entry = journal.PayAsync("заказ-1", Make.Request()).Result;
            Check.Equal(entry.OrderId, journal.Pay("заказ-1", Make.Request()).OrderId);
            entry = journal.ConfirmAsync(entry).Result;
            Check.Equal(Intent.Confirm, entry.Intent.Value);
            Check.Equal(IntentState.Accepted, entry.IntentState.Value);
            Check.Equal(true, journal.WaitAsync(entry.Reference, Check.Patience, Until.Final).Result.Succeeded);
            var news = journal.NewsAsync().Result;
            Check.Equal(1, news.Count);
            Check.Equal(PaymentStatus.DoneSuccess, news[0].Status.Value);
            var stats = journal.StatsAsync().Result;
            Check.Equal(1L, stats.News);
            Check.Equal(0L, stats.Counts[Standing.Open]);
            Check.True(stats.Overdue == null && stats.PauseNote == null, "nothing is overdue, and the journal is not paused");
            Check.Equal(true, journal.Acknowledge(news[0].Reference, news[0].Attempt, news[0].News));
            Check.Equal(false, journal.AcknowledgeAsync(news[0]).Result);
            Check.True(journal.Find("нет") == null, "there is no such reference");
            Check.Equal(1, journal.List(Standing.Final).Count);
            Check.Equal(0, journal.ListAsync(null, 10, news[0]).Result.Count);
        });
    }

    public static void ParametersOfAStatementAreTyped()
    {
        Make.WithJournal(journal =>
        {
            var entry = journal.Pay("order-1", Make.Request());
            var parameters = entry.AcknowledgeSql(Style.At).Parameters;
            Check.True(parameters[0].Value.Equals("order-1") && parameters[1].Value.Equals(1) && parameters[2].Value.Equals(entry.News), "a string, an int and a long");
            Check.Throws<InvalidArgumentException>(() => entry.AcknowledgeSql(0));
        });
    }

    public static void CancelledTokenEndsOnlyTheWait()
    {
        Make.WithJournal(journal =>
        {
            var request = Make.Request();
            request.CustomerAccount = "stays-pending";
            journal.Pay("order-1", request);
            using (var source = new CancellationTokenSource())
            {
                var wait = journal.WaitAsync("order-1", Check.Patience, Until.Final, source.Token);
                source.Cancel();
                Check.Throws<PaymentCancelledException>(() => wait.GetAwaiter().GetResult());
            }
            Check.Equal("order-1", journal.Find("order-1").Reference);
        });
    }

    public static void MissingFileIsNotCreatedAndADisposedJournalRefusesCalls()
    {
        using (var client = Make.Client()) Make.WithFile(place => Check.Throws<StorageException>(() => new Journal(client, place)));
        Journal disposed = null;
        Make.WithJournal(journal => disposed = journal);
        Check.Throws<ObjectDisposedException>(() => disposed.Find("order-1"));
        Check.Throws<ObjectDisposedException>(() => disposed.PayAsync("order-1", Make.Request()));
        var closed = Make.Client();
        closed.Dispose();
        Check.Throws<ObjectDisposedException>(() => new Journal(closed, "/nowhere.db"));
    }
}

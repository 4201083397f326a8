using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using MerchantPay;

/// <summary>Tests C#'s own methods of the journal, with a journal in a file. tests/contract has the cases that all languages share.</summary>
internal static class JournalTests
{
    private static string File() { return Path.Combine(Path.GetTempPath(), "журнал-" + Guid.NewGuid().ToString("N") + ".db"); }

    internal static void With(Action<Journal> run)
    {
        var file = File();
        try
        {
            using (var client = Make.Client())
            using (var journal = new Journal(client, new JournalOptions { File = file, Create = true })) run(journal);
        }
        finally
        {
            Remove(file);
        }
    }

    private static void Remove(string file)
    {
        foreach (var end in new[] { "", "-wal", "-shm" }) System.IO.File.Delete(file + end);
    }

    public static void PayCanBeRepeatedAndNewsAreAcknowledgedOnce()
    {
        With(journal =>
        {
            var entry = journal.Pay("заказ-1", Make.Request());
            Check.Equal(entry.OrderId, journal.PayAsync("заказ-1", Make.Request()).Result.OrderId);
            Check.Equal(Standing.Open, entry.Standing.Value);
            Check.Equal("open", entry.StandingName);
            Check.True(entry.Credentials.PayeeAccount != null && entry.CreatedAt.Value.Kind == DateTimeKind.Utc, "there are credentials and a time");
            journal.Confirm(entry.Reference, entry.Attempt);
            Check.Equal(true, journal.Wait("заказ-1", Check.Patience).Succeeded);
            var news = journal.News();
            Check.Equal(1, news.Count);
            GC.Collect();
            Check.Equal(1500.50m, news[0].SumAsked.Value);
            Check.True(!news[0].ToString().Contains(entry.Credentials.PayeeAccount), "ToString shows no account");
            Check.Equal(true, journal.Acknowledge(news[0]));
            Check.Equal(false, journal.AcknowledgeAsync(news[0]).Result);
            Check.True(journal.Find("нет") == null, "there is no such reference");
            Check.Equal(1, journal.List(Standing.Final).Count);
            Check.Equal(0, journal.List(null, 10, news[0]).Count);
        });
    }

    public static void ATokenEndsAWaitAndTheJournalGoesOn()
    {
        With(journal =>
        {
            var request = Make.Request();
            request.CustomerAccount = "stays-pending";
            journal.Pay("order-1", request);
            using (var source = new CancellationTokenSource())
            {
                var wait = journal.WaitAsync("order-1", Check.Patience, Until.Final, source.Token);
                source.Cancel();
                EndingTests.Cancelled(wait);
            }
            Check.Equal("order-1", journal.Find("order-1").Reference);
        });
    }

    public static void AnUnverifiedWebhookIsAnsweredWith400()
    {
        With(journal =>
        {
            foreach (var signature in new[] { null, "AAAA", "a\0b" })
            {
                var received = journal.Receive("/callback/token", new byte[] { 1 }, signature);
                Check.Equal(400, received.HttpStatus);
                Check.True(received.Error is UnverifiedException && received.Entry == null, "it is unverified");
            }
        });
    }

    public static void AMissingFileIsNotCreatedAndADisposedJournalRefusesCalls()
    {
        using (var client = Make.Client())
        {
            Check.Equal(Outcome.NotSent, Check.Throws<StorageException>(() => new Journal(client, File())).Outcome);
            Check.Throws<InvalidArgumentException>(() => new Journal(client, "relative.db"));
        }
        Journal disposed = null;
        With(journal => disposed = journal);
        Check.Throws<ObjectDisposedException>(() => disposed.Find("order-1"));
        Check.Throws<ObjectDisposedException>(() => disposed.PayAsync("order-1", Make.Request()));
        Check.Throws<ObjectDisposedException>(() => disposed.Export());
        var closed = Make.Client();
        closed.Dispose();
        Check.Throws<ObjectDisposedException>(() => new Journal(closed, File()));
    }

    public static void AnOperatorPausesCountsCopiesAndForgets()
    {
        var copy = File();
        var lines = new List<string>();
        try
        {
            With(journal =>
            {
                journal.Confirm(journal.Pay("order-1", Make.Request()));
                Check.Equal(true, journal.Wait("order-1", Check.Patience).Succeeded);
                journal.Acknowledge(journal.News()[0]);
                journal.Pause("Ivanova moves the journal");
                Check.Equal(Outcome.NotSent, Check.Throws<StorageException>(() => journal.Pay("order-2", Make.Request())).Outcome);
                var stats = journal.Stats();
                Check.Equal("Ivanova moves the journal", stats.PauseNote);
                Check.Equal(1L, stats.Counts[Standing.Final]);
                Check.True(stats.Json.Contains("Ivanova"), "all of it is there as JSON");
                lines.AddRange(journal.Export());
                journal.Backup(copy);
                Check.True(System.IO.File.Exists(copy), "there is a copy");
                journal.Resume("moved");
                Check.True(journal.Stats().PauseNote == null, "the pause has ended");
                Check.Equal(0L, journal.Purge(new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc)));
                Check.Equal(1L, journal.Forget("order-1"));
            });
            Check.Equal(1, lines.Count);
            With(journal =>
            {
                Check.Equal(true, journal.Import(lines[0]));
                Check.Equal(false, journal.Import(lines[0]));
                Check.Equal(Standing.Final, journal.Find("order-1").Standing.Value);
                Check.Throws<InvalidArgumentException>(() => journal.Import("no line"));
            });
        }
        finally
        {
            Remove(copy);
        }
    }
}

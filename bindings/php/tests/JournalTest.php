<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Attention;
use MerchantPay\Code;
use MerchantPay\Entry;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Exception\UnverifiedException;
use MerchantPay\Intent;
use MerchantPay\Journal;
use MerchantPay\Level;
use MerchantPay\Outcome;
use MerchantPay\Paid;
use MerchantPay\Problem;
use MerchantPay\Standing;
use MerchantPay\Tests\Support\Folder;
use MerchantPay\Tests\Support\Sandbox;
use Nyholm\Psr7\ServerRequest;
use PHPUnit\Framework\TestCase;

/** Tests the parts of the journal that only PHP has; tests/contract tests the common parts. */
final class JournalTest extends TestCase
{
    private Folder $folder;

    protected function setUp(): void
    {
        $this->folder = new Folder();
    }

    private function journal(mixed ...$settings): Journal
    {
        $settings += ['callbackUrl' => 'http://127.0.0.1:9/callback', 'callsPerSecond' => 1000, 'create' => true];
        return new Journal(Sandbox::one()->client(), "{$this->folder->path}/payments.db", ...$settings);
    }

    private static function pay(Journal $journal, string $reference): Entry
    {
        return $journal->pay($reference, sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567');
    }

    private static function reference(): string
    {
        return 'order-' . bin2hex(random_bytes(6));
    }

    public function testAnEntryHasItsFieldsAsTextAndAsCases(): void
    {
        $journal = $this->journal();
        $reference = self::reference();
        $entry = self::pay($journal, $reference);
        self::assertSame([$reference, 1, 'open', '1500.50', null, false], [
            $entry->reference,
            $entry->attempt,
            $entry->standing,
            $entry->sumAsked,
            $entry->paid,
            $entry->succeeded,
        ]);
        self::assertSame($entry->orderId, $entry->credentials?->orderId);
        self::assertSame($entry->payment?->payeeAccount, $entry->credentials?->payeeAccount);
        self::assertNull($entry->confirmCase());
        self::assertSame(Intent::Accepted, $journal->confirm($entry)->confirmCase());
        $entry = $journal->wait($reference, 20_000, 'final');
        self::assertSame([Standing::Final, Paid::Exactly, Level::Final, Level::None], [
            $entry->standingCase(),
            $entry->paidCase(),
            $entry->reportedCase(),
            $entry->acknowledgedCase(),
        ]);
        self::assertTrue($entry->succeeded);
        self::assertSame([], $entry->attentionCases());
        self::assertEqualsWithDelta(microtime(true) * 1000, $entry->createdAt, 60_000);
        self::assertGreaterThanOrEqual($entry->createdAt, $entry->updatedAt);
    }

    public function testAReplyThatWasLostIsTheEntrysErrorAndNoException(): void
    {
        $sandbox = new Sandbox('--pace-ms', '0');
        $client = $sandbox->client();
        $file = "{$this->folder->path}/lost.db";
        $journal = new Journal($client, $file, callbackUrl: 'http://127.0.0.1:9/callback', create: true);
        $sandbox->control('/faults', ['kind' => 'dropAfterCommit', 'operation' => 'newPayment']);
        $entry = self::pay($journal, 'order');
        self::assertSame(['transport', 'unknown', null], array_values(get_object_vars($entry->error)));
        $problem = $entry->error;
        self::assertSame([Code::Transport, Outcome::Unknown], [$problem->codeCase(), $problem->outcomeCase()]);
        self::assertSame([Attention::Unknown], $journal->attention()[0]->attentionCases());
    }

    public function testNeitherVarDumpNorATraceShowsWhoIsPaid(): void
    {
        $entry = self::pay($this->journal(), self::reference());
        ob_start();
        var_dump($entry);
        $problem = new Problem('rejected', 'rejected', 'Иван Петров');
        $shown = ob_get_clean() . print_r([$entry, $problem, $this->journal()], true);
        self::assertStringNotContainsString('Иван', $shown);
        self::assertStringNotContainsString((string) $entry->credentials?->payeeAccount, $shown);
        self::assertStringContainsString($entry->reference, $shown);
    }

    public function testAnEntryThatWasSerializedIsShownAndNoJournalTakesIt(): void
    {
        $journal = $this->journal();
        $entry = self::pay($journal, self::reference());
        $copy = unserialize(serialize($entry));
        self::assertInstanceOf(Entry::class, $copy);
        self::assertSame($entry->json(), $copy->json());
        self::assertEquals($entry->credentials, $copy->credentials);
        $made = new Entry(reference: 'order-1017', standing: 'open', attempt: 1);
        foreach ([$copy, $made] as $entry) {
            foreach (['confirm', 'cancel', 'acknowledge'] as $method) {
                self::assertRefused(static fn () => $journal->$method($entry), 'must come from a journal');
            }
        }
    }

    public function testAnEntryOutlivesItsJournalAndIsTakenByAnother(): void
    {
        $journal = $this->journal();
        $entry = self::pay($journal, self::reference());
        [$news] = $journal->news();
        $journal->close();
        unset($journal);
        gc_collect_cycles();
        self::assertSame('accepted', $this->journal()->confirm($entry)->confirm);
        self::assertTrue($this->journal()->acknowledge($news));
    }

    public function testAnAttemptIsConfirmedCancelledAndAcknowledgedByValue(): void
    {
        $journal = $this->journal();
        [$kept, $dropped] = [self::reference(), self::reference()];
        self::pay($journal, $kept);
        self::pay($journal, $dropped);
        self::assertSame('accepted', $journal->confirmBy($kept, 1)->confirm);
        self::assertSame('accepted', $journal->cancelBy($dropped, 1)->cancel);
        self::assertSame(Level::Final, $journal->wait($kept, 20_000, 'final')->reportedCase());
        self::assertTrue($journal->acknowledgeBy($kept, 1, Level::Credentials));
        self::assertSame('credentials', $journal->find($kept)?->acknowledged);
        self::assertTrue($journal->acknowledgeBy($kept, 1, 'final'));
        self::assertFalse($journal->acknowledgeBy($kept, 1, 'final'));
        self::assertSame('final', $journal->find($kept)?->acknowledged);
    }

    public function testALevelAboveTheEntrysOwnIsRefused(): void
    {
        $journal = $this->journal();
        $reference = self::reference();
        $entry = $journal->payAsync($reference, sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
        foreach (array_slice(Level::cases(), 1) as $level) {
            if ($level->number() > $entry->reportedCase()?->number()) {
                self::assertRefused(static fn () => $journal->acknowledgeBy($reference, 1, $level), 'level');
            }
        }
        self::assertRefused(static fn () => $journal->acknowledgeBy($reference, 1, Level::None), 'level');
        self::assertSame(Level::None, $journal->find($reference)?->acknowledgedCase());
    }

    public function testAClosedJournalSaysSo(): void
    {
        $file = $this->journal();
        $unused = new Journal(Sandbox::one()->client(), static fn () => self::fail('it connects'));
        foreach ([$file, $unused] as $journal) {
            $journal->close();
            $journal->close();
            self::assertRefused(static fn () => self::pay($journal, 'order'), 'this object was closed');
            self::assertSame(503, $journal->receive('/x', '{}', 's')->httpStatus);
        }
    }

    /** @return array<string, array{\Closure(Journal): mixed, string}> */
    public function wrong(): array
    {
        return [
            'a float' => [static fn (Journal $it) => $it->pay('a', 1.5, 'sbp', '7'), 'sum must be a decimal'],
            'a NUL' => [static fn (Journal $it) => $it->pay("a\0b", '1', 'sbp', '7'), 'reference contains a NUL'],
            'another NUL' => [static fn (Journal $it) => $it->find("a\0b"), 'reference contains a NUL'],
            'replace' => [static fn (Journal $it) => $it->pay('a', '1', 'sbp', '7', replace: -1), 'replace must be'],
            'limit' => [static fn (Journal $it) => $it->news(-1), 'limit must be from 0'],
            'until' => [static fn (Journal $it) => $it->wait('a', 0, 'ever'), 'until must be one of: cred'],
            'standing' => [static fn (Journal $it) => $it->list('paid'), 'standing must be one of: sending'],
            'level' => [static fn (Journal $it) => $it->acknowledgeBy('a', 1, 'paid'), 'level must be one of: none'],
            'attempt' => [static fn (Journal $it) => $it->confirmBy('a', -1), 'attempt must be from 0'],
            'no attempt' => [static fn (Journal $it) => $it->cancelBy('nobody', 1), 'no such'],
            'nobody' => [static fn (Journal $it) => $it->wait('nobody', 0), 'no such entry'],
        ];
    }

    /** @dataProvider wrong */
    public function testWrongInputIsRefused(\Closure $call, string $why): void
    {
        self::assertRefused(fn () => $call($this->journal()), $why);
    }

    public function testAWordOfAPersonIsOneOfThree(): void
    {
        $journal = $this->journal();
        $entry = self::pay($journal, self::reference());
        foreach ([[], ['seen' => true, 'noPayment' => true], ['orderId' => 'x', 'seen' => true]] as $words) {
            $resolve = static fn () => $journal->resolve($entry, 'a note', ...$words);
            self::assertRefused($resolve, 'exactly one of orderId, noPayment and seen is required');
        }
    }

    public function testAFileThatIsNotAJournalIsRefused(): void
    {
        $folder = $this->folder->path;
        file_put_contents("$folder/other.txt", 'a file of another program, which has no tables');
        symlink("$folder/nowhere/payments.db", "$folder/dangling.db");
        $rows = [
            ["$folder/missing.db", false, '`merchantpay journal init --journal '],
            ["$folder/no/folder.db", true, 'folder.db'],
            [$folder, true, 'not a regular file'],
            ["$folder/other.txt", true, 'not a database'],
            ["$folder/dangling.db", true, 'a link to'],
        ];
        foreach ($rows as [$file, $create, $why]) {
            try {
                new Journal(Sandbox::one()->client(), $file, create: $create);
                self::fail($file);
            } catch (StorageException $error) {
                self::assertSame(['not_sent', false], [$error->outcome(), $error->isTransient()], $file);
                self::assertStringContainsString($file, $error->getMessage());
                self::assertStringContainsString($why, $error->getMessage());
            }
        }
        $relative = static fn () => new Journal(Sandbox::one()->client(), 'payments.db', create: true);
        self::assertRefused($relative, 'must be absolute');
    }

    /** @return array<string, array{string, string, string}> */
    public function notDurable(): array
    {
        return [
            'synchronous' => ['synchronous = NORMAL', 'synchronous', 'synchronous is NORMAL (1) and must be FULL (2)'],
            'journal_mode' => ['journal_mode = MEMORY', 'journal_mode', 'journal_mode is memory and must be wal: '],
        ];
    }

    /** @dataProvider notDurable */
    public function testASettingThatCanLoseAPaymentIsRefusedUnlessItIsVouchedFor(
        string $pragma,
        string $setting,
        string $refusal,
    ): void {
        $connect = fn (): \PDO => new \PDO("sqlite:{$this->folder->path}/shop.db");
        $weak = static function () use ($connect, $pragma): \PDO {
            $pdo = $connect();
            $pdo->exec("PRAGMA $pragma");
            return $pdo;
        };
        $client = Sandbox::one()->client();
        self::pay(new Journal($client, $connect, create: true), self::reference());
        try {
            self::pay(new Journal($client, $weak), self::reference());
            self::fail($setting);
        } catch (StorageException $error) {
            self::assertSame(['not_sent', false], [$error->outcome(), $error->isTransient()]);
            self::assertStringContainsString($refusal, $error->getMessage());
            self::assertStringContainsString("durability_vouched=$setting accepts this risk", $error->getMessage());
        }
        $vouched = new Journal($client, $weak, durabilityVouched: $setting);
        self::assertNotNull(self::pay($vouched, self::reference())->credentials);
        $misspelt = new Journal($client, $weak, durabilityVouched: "{$setting}s");
        self::assertRefused(static fn () => self::pay($misspelt, self::reference()), "{$setting}s");
    }

    public function testATransactionDoesNotReachAFile(): void
    {
        $journal = $this->journal();
        $entry = self::pay($journal, self::reference());
        $pdo = (new \ReflectionClass(\PDO::class))->newInstanceWithoutConstructor();
        $acknowledge = static fn () => $journal->acknowledge($entry, $pdo);
        self::assertRefused($acknowledge, 'the journal is in its own SQLite file');
    }

    public function testCallsSideBySideHaveALimit(): void
    {
        self::assertRefused(fn () => $this->journal(callsAtOnce: 65), 'from 1 to 64');
        self::assertSame(0, $this->journal(callsAtOnce: 64)->settle()->done);
    }

    public function testAWebhookIsTakenFromARequestOfPsr7AndFromGlobals(): void
    {
        $journal = $this->journal();
        foreach (['psr-7', 'globals'] as $way) {
            $reference = self::reference();
            $journal->payAsync($reference, sum: '10', paymentMethod: 'sbp', customerAccount: '79001234567');
            $webhook = Sandbox::one()->webhook($reference, 'credentials');
            ['signature' => $signature, 'keyId' => $keyId, 'body' => $body] = $webhook['request'];
            $headers = ['X-Signature' => $signature, 'X-KeyId' => $keyId];
            if ($way === 'psr-7') {
                $body = (string) base64_decode($body['base64'], true);
                $request = new ServerRequest('POST', $webhook['url'] . '?a=b', $headers, $body);
                $received = $journal->receiveRequest($request);
                self::assertSame(400, $journal->receiveRequest($request->withoutHeader('X-Signature'))->httpStatus);
                self::assertSame([200, $reference], [$received->httpStatus, $received->entry?->reference]);
                self::assertNotNull($received->entry->credentials);
            } else {
                $_SERVER['REQUEST_URI'] = (string) parse_url($webhook['url'], PHP_URL_PATH);
                [$_SERVER['HTTP_X_SIGNATURE'], $_SERVER['HTTP_X_KEYID']] = [$signature, $keyId];
                $received = $journal->receiveGlobals(); // php://input is empty in this test.
                self::assertSame(400, $received->httpStatus);
                self::assertInstanceOf(UnverifiedException::class, $received->error);
                unset($_SERVER['HTTP_X_SIGNATURE'], $_SERVER['HTTP_X_KEYID'], $_SERVER['REQUEST_URI']);
            }
        }
    }

    private static function assertRefused(\Closure $call, string $why): void
    {
        try {
            $call();
            self::fail("it was taken: $why");
        } catch (MerchantPayException $error) {
            self::assertInstanceOf(InvalidArgumentException::class, $error);
            self::assertSame('not_sent', $error->outcome());
            self::assertStringContainsString($why, $error->getMessage());
        }
    }
}

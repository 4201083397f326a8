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
use MerchantPay\IntentState;
use MerchantPay\Journal;
use MerchantPay\Outcome;
use MerchantPay\Payment;
use MerchantPay\Problem;
use MerchantPay\Standing;
use MerchantPay\Style;
use MerchantPay\Tests\Support\Folder;
use MerchantPay\Tests\Support\Sandbox;
use Nyholm\Psr7\ServerRequest;
use PHPUnit\Framework\TestCase;

/** Tests the parts of the journal that only PHP has; tests/contract tests the common parts. */
final class JournalTest extends TestCase
{
    private const REQUEST = ['sum' => '1500.50', 'paymentMethod' => 'sbp', 'customerAccount' => '79001234567'];

    private Folder $folder;

    protected function setUp(): void
    {
        $this->folder = new Folder();
    }

    private function journal(mixed ...$settings): Journal
    {
        $settings += ['callbackUrl' => 'http://127.0.0.1:9/callback', 'create' => true];
        return new Journal(Sandbox::one()->client(), "{$this->folder->path}/payments.db", ...$settings);
    }

    private static function pay(Journal $journal, string $reference): Entry
    {
        return $journal->pay($reference, ...self::REQUEST);
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
            $entry->sumPaid,
            $entry->succeeded,
        ]);
        self::assertSame($entry->orderId, $entry->credentials?->orderId);
        self::assertNull($entry->intentCase());
        $entry = $journal->confirm($entry);
        self::assertSame([Intent::Confirm, IntentState::Accepted], [$entry->intentCase(), $entry->intentStateCase()]);
        $entry = $journal->wait($reference, 20_000, 'final');
        self::assertSame([Standing::Final, '1500.50', true, false], [
            $entry->standingCase(),
            $entry->sumPaid,
            $entry->succeeded,
            $entry->acknowledged,
        ]);
        self::assertSame([[], [], []], [$entry->attention, $entry->attentionCases(), $entry->details]);
        self::assertGreaterThan(0, $entry->news);
        self::assertEqualsWithDelta(microtime(true) * 1000, $entry->createdAt, 60_000);
        self::assertGreaterThanOrEqual($entry->createdAt, $entry->updatedAt);
        self::assertSame($reference, json_decode($entry->json(), true)['reference']);
    }

    public function testAReplyThatWasLostIsTheEntrysErrorAndNoException(): void
    {
        $sandbox = new Sandbox('--pace-ms', '0');
        $journal = new Journal($sandbox->client(), "{$this->folder->path}/lost.db", create: true);
        $sandbox->control('/faults', ['kind' => 'dropAfterCommit', 'operation' => 'newPayment']);
        $problem = self::pay($journal, 'order')->error;
        self::assertInstanceOf(Problem::class, $problem);
        self::assertSame([Code::Transport, Outcome::Unknown], [$problem->codeCase(), $problem->outcomeCase()]);
        self::assertNull($problem->description);
        self::assertSame(1, $journal->stats()->standings['unknown']);
        $resolved = $journal->resolve($journal->find('order'), 'support knows none', noPayment: true);
        self::assertSame('refused', $resolved?->standing);
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

    public function testAnEntryIsAValueThatOutlivesItsJournalAndIsTakenByAnother(): void
    {
        $journal = $this->journal();
        $reference = self::reference();
        self::pay($journal, $reference);
        [$news] = $journal->news();
        $journal->close();
        $copy = unserialize(serialize($news));
        self::assertEquals($news, $copy);
        self::assertSame($news->json(), $copy->json());
        $made = new Entry(reference: $reference, attempt: 1, credentials: new Payment(orderId: 'made by a test'));
        self::assertSame('accepted', $this->journal()->confirm($made)->intentState);
        self::assertTrue($this->journal()->acknowledge($copy));
    }

    public function testAnAttemptIsNamedByAnEntryOrByItsReferenceAndNumber(): void
    {
        $journal = $this->journal();
        $reference = self::reference();
        $entry = self::pay($journal, $reference);
        self::assertSame('confirm', $journal->confirm($reference, 1)->intent);
        self::assertTrue($journal->acknowledge($reference, 1, $entry->news));
        self::assertFalse($journal->acknowledge($entry));
        $other = self::reference();
        self::pay($journal, $other);
        self::assertSame('cancel', $journal->cancel($other, 1)->intent);
        $next = $journal->replace($other, 1, ...self::REQUEST);
        self::assertSame([2, 'open'], [$next->attempt, $next->standing]);
        foreach (
            [
                'attempt is needed' => static fn () => $journal->confirm($reference),
                'only with a reference' => static fn () => $journal->cancel($entry, 1),
                'news is needed' => static fn () => $journal->acknowledge($reference, 1),
                'news is needed with a reference, and only' => static fn () => $journal->acknowledge($entry, news: 1),
            ] as $why => $call
        ) {
            self::assertRefused($call, $why);
        }
    }

    public function testTheStatementOfAnAcknowledgementIsInTheDriversStyle(): void
    {
        $entry = new Entry(reference: "o'1", attempt: 2, news: 1_764_000_000_000);
        $list = ["o'1", 2, 1_764_000_000_000];
        $names = array_combine(['reference', 'attempt', 'news'], $list);
        $expected = [
            'question' => [['?', '?', '?'], $list],
            'dollar' => [['$1', '$2', '$3'], $list],
            'percent' => [['%s', '%s', '%s'], $list],
            'colon' => [[':reference', ':attempt', ':news'], $names],
            'at' => [['@reference', '@attempt', '@news'], $names],
        ];
        self::assertSame(array_column(Style::cases(), 'value'), array_keys($expected));
        foreach ($expected as $style => [$places, $parameters]) {
            $text = vsprintf(
                'UPDATE merchantpay_attempts SET acked = news '
                    . 'WHERE reference = %s AND attempt = %s AND news = %s AND acked < news',
                $places,
            );
            self::assertSame([$text, $parameters], $entry->acknowledgeSql($style));
            self::assertSame([$text, $parameters], $entry->acknowledgeSql(Style::from($style)));
        }
        self::assertRefused(static fn () => $entry->acknowledgeSql('odbc'), 'style must be one of question, dollar');
    }

    public function testAPageOfTheListBeginsBehindAnEntry(): void
    {
        $journal = $this->journal();
        $references = [];
        for ($number = 0; $number < 3; $number++) {
            array_unshift($references, $reference = self::reference());
            self::pay($journal, $reference);
            usleep(2000);
        }
        $first = $journal->list(limit: 2);
        $second = $journal->list(Standing::Open, before: $first[1]);
        self::assertSame($references, array_column([...$first, ...$second], 'reference'));
    }

    public function testAClosedJournalSaysSo(): void
    {
        $journal = $this->journal();
        $journal->close();
        $journal->close();
        self::assertRefused(static fn () => self::pay($journal, 'order'), 'the object is closed');
        self::assertRefused(static fn () => $journal->stats(), 'the object is closed');
        self::assertSame(503, $journal->receive('/x', '{}', 's')->httpStatus);
    }

    /** @return array<string, array{\Closure(Journal): mixed, string}> */
    public function wrong(): array
    {
        $entry = new Entry(reference: 'a', attempt: 1);
        $orphan = new Entry(reference: '', orderId: 'o', isOrphan: true);
        $one = 'exactly one of orderId, noPayment, seen and trusted is required';
        return [
            'a float' => [static fn (Journal $it) => $it->pay('a', 1.5, 'sbp', '7'), 'sum must be a decimal'],
            'until' => [static fn (Journal $it) => $it->wait('a', 0, 'ever'), 'until must be one of cred'],
            'standing' => [static fn (Journal $it) => $it->list('paid'), 'standing must be one of sending'],
            'no decision' => [static fn (Journal $it) => $it->resolve($entry, 'note'), $one],
            'two' => [static fn (Journal $it) => $it->resolve($entry, 'note', noPayment: true, trusted: true), $one],
            'a sum alone' => [static fn (Journal $it) => $it->resolve($entry, 'n', sum: '1', seen: true), 'orderId is'],
            'an orphan' => [static fn (Journal $it) => $it->resolve($orphan, 'n', noPayment: true), 'only be seen'],
            'a reason' => [static fn (Journal $it) => $it->resolve($entry, 'n', seen: ['paid']), 'paid'],
        ];
    }

    /** @dataProvider wrong */
    public function testWrongInputIsRefused(\Closure $call, string $why): void
    {
        self::assertRefused(fn () => $call($this->journal()), $why);
    }

    public function testAReasonThatWasNotRaisedCannotBeSeen(): void
    {
        $journal = $this->journal();
        $entry = self::pay($journal, self::reference());
        $see = static fn () => $journal->resolve($entry, 'note', seen: [Attention::Stuck, 'sum_differs']);
        self::assertRefused($see, 'does not have this reason');
    }

    public function testASettingThatCannotBeUsedIsRefusedByItsNameInPhp(): void
    {
        $client = Sandbox::one()->client();
        $open = fn (mixed ...$settings) => fn () => $this->journal(...$settings);
        self::assertRefused(static fn () => new Journal($client, 'payments.db', create: true), 'place: the path');
        self::assertRefused($open(callbackUrl: 'http://shop.example/?a=b'), 'callbackUrl must not have a query');
        self::assertRefused($open(timeoutMs: 1), 'timeoutMs must be at least 15 s');
        self::assertRefused($open(durabilityVouched: ['synchronous', 'fsyncs']), 'durabilityVouched has the unknown');
        self::assertSame([], $this->journal(durabilityVouched: [])->stats()->durabilityVouched);
        $vouched = $this->journal(durabilityVouched: ['synchronous', 'journal_mode']);
        self::assertSame(['synchronous', 'journal_mode'], $vouched->stats()->durabilityVouched);
        try {
            new Journal($client, "{$this->folder->path}/missing.db");
            self::fail('it was opened');
        } catch (StorageException $error) {
            self::assertSame(['not_sent', false], [$error->outcome(), $error->isTransient()]);
            self::assertStringContainsString('missing.db', $error->getMessage());
        }
    }

    public function testAWebhookIsTakenFromARequestOfPsr7AndFromGlobals(): void
    {
        $journal = $this->journal();
        $reference = self::reference();
        $journal->payAsync($reference, ...self::REQUEST);
        $webhook = Sandbox::one()->webhook($reference, 'credentials');
        ['signature' => $signature, 'keyId' => $keyId, 'body' => $body] = $webhook['request'];
        $headers = ['X-Signature' => $signature, 'X-KeyId' => $keyId];
        $body = (string) base64_decode($body['base64'], true);
        $request = new ServerRequest('POST', $webhook['url'] . '?a=b', $headers, $body);
        $received = $journal->receiveRequest($request);
        self::assertSame([200, $reference], [$received->httpStatus, $received->entry?->reference]);
        self::assertNotNull($received->entry->credentials);
        self::assertSame(400, $journal->receiveRequest($request->withoutHeader('X-Signature'))->httpStatus);

        $_SERVER['REQUEST_URI'] = (string) parse_url($webhook['url'], PHP_URL_PATH);
        [$_SERVER['HTTP_X_SIGNATURE'], $_SERVER['HTTP_X_KEYID']] = [$signature, $keyId];
        $received = $journal->receiveGlobals(); // php://input is empty in this test.
        self::assertSame(400, $received->httpStatus);
        self::assertInstanceOf(UnverifiedException::class, $received->error);
        unset($_SERVER['HTTP_X_SIGNATURE'], $_SERVER['HTTP_X_KEYID'], $_SERVER['REQUEST_URI']);
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

<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Attention;
use MerchantPay\Entry;
use MerchantPay\Exception\InvalidArgumentException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Exception\StorageException;
use MerchantPay\Exception\UnverifiedException;
use MerchantPay\Journal;
use MerchantPay\Payment;
use MerchantPay\Problem;
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
        $entry = new Entry(reference: 'a', attempt: 1);
        foreach (
            [
                'attempt is needed' => static fn () => $journal->confirm('a'),
                'only with a reference' => static fn () => $journal->cancel($entry, 1),
                'news is needed' => static fn () => $journal->acknowledge('a', 1),
                'news is needed with a reference, and only' => static fn () => $journal->acknowledge($entry, news: 1),
            ] as $why => $call
        ) {
            self::assertRefused($call, $why);
        }
    }

    public function testTheStyleOfAStatementIsACaseOrItsName(): void
    {
        $entry = new Entry(reference: "o'1", attempt: 2, news: 1_764_000_000_000);
        foreach (Style::cases() as $style) {
            self::assertSame($entry->acknowledgeSql($style->value), $entry->acknowledgeSql($style));
        }
        self::assertRefused(static fn () => $entry->acknowledgeSql('odbc'), 'style must be one of question, dollar');
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

    public function testAListOfVouchedSettingsIsTakenAndAPlaceIsNamed(): void
    {
        self::assertSame([], $this->journal(durabilityVouched: [])->stats()->durabilityVouched);
        $vouched = $this->journal(durabilityVouched: ['synchronous', 'journal_mode']);
        self::assertSame(['synchronous', 'journal_mode'], $vouched->stats()->durabilityVouched);
        $this->expectException(StorageException::class);
        $this->expectExceptionMessage('missing.db');
        new Journal(Sandbox::one()->client(), "{$this->folder->path}/missing.db");
    }

    public function testAWebhookIsTakenFromARequestOfPsr7AndFromGlobals(): void
    {
        $journal = $this->journal();
        $reference = self::reference();
        $journal->payAsync($reference, ...self::REQUEST);
        $webhook = Sandbox::webhook($reference, 'credentials');
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

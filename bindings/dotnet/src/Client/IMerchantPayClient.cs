using System;
using System.Threading;
using System.Threading.Tasks;

namespace MerchantPay
{
    /// <summary>
    /// The calls of a client. A shop's test can replace the client by its own implementation. A failed call throws a
    /// <see cref="MerchantPayException"/>, or a <see cref="PaymentCancelledException"/> if the call's token was cancelled. Both exceptions show
    /// whether the request may have taken effect.
    /// A later version can add methods.
    /// </summary>
    public interface IMerchantPayClient
    {
        /// <summary>
        /// Creates a payment, and waits up to 10 s for the payment details that the customer needs (credentials; contract, section 4.2).
        /// The request is sent once.
        /// </summary>
        Payment CreatePayment(PaymentRequest request, CancellationToken token = default(CancellationToken));

        /// <summary>Runs CreatePayment as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task<Payment> CreatePaymentAsync(PaymentRequest request, CancellationToken token = default(CancellationToken));

        /// <summary>
        /// Creates a payment with credentials that come by webhook (contract, section 4.3). The result has only the order id. The request
        /// is sent once.
        /// </summary>
        Payment RequestPayment(PaymentRequest request, CancellationToken token = default(CancellationToken));

        /// <summary>Runs RequestPayment as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task<Payment> RequestPaymentAsync(PaymentRequest request, CancellationToken token = default(CancellationToken));

        /// <summary>
        /// Asks for the amounts for which the service has a counter-offer at this moment (contract, section 4.1). The library can retry this
        /// request.
        /// </summary>
        AvailableAmounts GetAvailableAmounts(AmountsRequest request, CancellationToken token = default(CancellationToken));

        /// <summary>Runs GetAvailableAmounts as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task<AvailableAmounts> GetAvailableAmountsAsync(AmountsRequest request, CancellationToken token = default(CancellationToken));

        /// <summary>Reports that the customer has paid (contract, section 4.4). The request is sent once.</summary>
        void Confirm(string orderId, CancellationToken token = default(CancellationToken));

        /// <summary>Runs Confirm as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task ConfirmAsync(string orderId, CancellationToken token = default(CancellationToken));

        /// <summary>Cancels a payment (contract, section 4.5). The request is sent once.</summary>
        void Cancel(string orderId, CancellationToken token = default(CancellationToken));

        /// <summary>Runs Cancel as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task CancelAsync(string orderId, CancellationToken token = default(CancellationToken));

        /// <summary>Asks for the state of a payment (contract, section 4.6). The library can retry this request.</summary>
        Payment GetStatus(string orderId, CancellationToken token = default(CancellationToken));

        /// <summary>Runs GetStatus as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task<Payment> GetStatusAsync(string orderId, CancellationToken token = default(CancellationToken));

        /// <summary>Attaches receipts to a payment in arbitration (contract, section 4.7). The request is sent once.</summary>
        void AttachReceipt(Receipt receipt, CancellationToken token = default(CancellationToken));

        /// <summary>Runs AttachReceipt as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task AttachReceiptAsync(Receipt receipt, CancellationToken token = default(CancellationToken));

        /// <summary>
        /// Asks for the status, with pauses, until the status is final. The method throws a <see cref="RequestTimeoutException"/> if the
        /// status is not final in time.
        /// </summary>
        Payment Wait(string orderId, TimeSpan timeout, CancellationToken token = default(CancellationToken));

        /// <summary>Runs Wait as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task<Payment> WaitAsync(string orderId, TimeSpan timeout, CancellationToken token = default(CancellationToken));

        /// <summary>Opens a connection for the next call, so that the next call needs only one round trip.</summary>
        void Connect(CancellationToken token = default(CancellationToken));

        /// <summary>Runs Connect as a task. The task occupies no thread of the .NET pool while it waits.</summary>
        Task ConnectAsync(CancellationToken token = default(CancellationToken));
    }
}

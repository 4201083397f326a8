using System;
using System.Collections.Generic;
using MerchantPay.Interop;

namespace MerchantPay
{
    /// <summary>One or more receipts for a payment in arbitration (contract, section 4.7).</summary>
    public sealed class Receipt
    {
        /// <summary>Makes receipts for this order.</summary>
        public Receipt(string orderId, params ReceiptFile[] files)
        {
            OrderId = orderId;
            Files = new List<ReceiptFile>(files ?? new ReceiptFile[0]);
        }

        /// <summary>The service's identifier of the payment.</summary>
        public string OrderId { get; }

        /// <summary>The files: PDF, JPEG or PNG.</summary>
        public IList<ReceiptFile> Files { get; }

        /// <summary>A call with this receipt, whose files are read now.</summary>
        internal static Command<T> With<T>(Receipt receipt, Func<Handle, Command<T>> call)
        {
            var made = Opening.Object.Make(Calls.Receipt(receipt.Checked("receipt").OrderId));
            foreach (var file in receipt.Files)
            {
                if (file == null) throw Failure.InvalidArgument("a file of Files is null");
                file.AddTo(made);
            }
            return call(made).Owning(made);
        }
    }

    /// <summary>A file of a receipt.</summary>
    public sealed class ReceiptFile
    {
        private readonly string path;
        private readonly string name;
        private readonly string contentType;
        private readonly byte[] data;

        private ReceiptFile(string path) { this.path = path; }

        /// <summary>Makes a file from memory, such as "receipt.pdf" of the content type
        /// "application/pdf".</summary>
        public ReceiptFile(string name, string contentType, byte[] data)
        {
            this.name = name;
            this.contentType = contentType;
            this.data = data ?? throw new ArgumentNullException("data");
        }

        /// <summary>
        /// Names a file on disk: a PDF, JPEG or PNG by its first bytes, whatever its name is. AttachReceipt reads the file, and sends
        /// nothing if the file cannot be read or has another format.
        /// </summary>
        public static ReceiptFile FromPath(string path)
        {
            if (path == null) throw new ArgumentNullException("path");
            return new ReceiptFile(path);
        }

        internal void AddTo(Handle receipt) { (path != null ? Calls.AddFile(path) : Calls.AddBytes(name ?? "", contentType ?? "", data)).On(receipt); }
    }
}

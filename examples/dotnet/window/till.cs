using System;
using System.Windows.Forms;
using MerchantPay;

/// <summary>
/// A till with a window. Start it by `window FILE`; FILE is the journal, which you create before by `merchantpay journal init`. The window
/// stays responsive while a customer pays.
/// </summary>
internal sealed class TillWindow : Form
{
    private readonly Journal journal;
    private readonly TextBox reference = new TextBox { Dock = DockStyle.Top, Text = "order-1017" };
    private readonly NumericUpDown sum = new NumericUpDown { Dock = DockStyle.Top, DecimalPlaces = 2, Maximum = 1000000m, Minimum = 0.01m, Value = 1500.50m };
    private readonly Button sell = new Button { Dock = DockStyle.Top, Text = "Sell" };
    private readonly Button giveUp = new Button { Dock = DockStyle.Top, Text = "Give up", Enabled = false };
    private readonly ListBox lines = new ListBox { Dock = DockStyle.Fill };
    private Sale sale;

    private TillWindow(Journal journal)
    {
        this.journal = journal;
        Text = "Till";
        Controls.AddRange(new Control[] { lines, giveUp, sell, sum, reference });
        sell.Click += Sell;
        giveUp.Click += (sender, e) => sale.GiveUp();
    }

    [STAThread]
    private static int Main(string[] arguments)
    {
        if (arguments.Length != 1)
        {
            Console.Error.WriteLine("usage: window FILE");
            return 2;
        }
        Application.EnableVisualStyles();
        using (var client = MerchantPayClient.FromEnvironment())
        using (var journal = new Journal(client, arguments[0])) Application.Run(new TillWindow(journal));
        return 0;
    }

    private async void Sell(object sender, EventArgs e)
    {
        sale = new Sale(journal);
        sale.Shown += line => lines.Items.Add(line);
        sell.Enabled = false;
        giveUp.Enabled = true;
        await sale.Sell(reference.Text, new PaymentRequest { Sum = sum.Value, PaymentMethod = PaymentMethod.Sbp, CustomerAccount = "79001234567" });
        sell.Enabled = true;
        giveUp.Enabled = false;
    }
}

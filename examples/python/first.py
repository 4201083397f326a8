import merchantpay

client = merchantpay.Client.from_env()
payment = client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
print(f"{payment.order_id}: pay {payment.sum} RUB at {payment.deeplink}")

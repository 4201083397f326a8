import merchantpay

client = merchantpay.Client.from_env()
payment = client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
print("pay", payment.sum, "to", payment.payee_account)
client.confirm(payment.order_id)  # the customer says that the money was sent
payment = client.wait(payment.order_id, timeout=60)  # asks for the status until it is final
print(payment.status, payment.sum)
